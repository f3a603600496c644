// log softmax(logits) at the tokens that came, without the logits.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace rgu::llm {

struct LogProbabilityOptions {
  double temperature = 1;      // logits are divided by it; above 0
  bool entropy = false;        // also the entropy of each distribution, without gradient
  std::int64_t rows = 1024;    // N is worked through in parts of so many rows ...
  std::int64_t tokens = 2048;  // ... and so many tokens of the vocabulary: what must fit the cache
};

struct TokenLogProbabilities {
  at::Tensor values;   // (N), at least float32
  at::Tensor entropy;  // (N) or undefined
};

// values_i = log softmax_v(<weight_v, hidden_i> / temperature) at v = target_i, for hidden (N, H),
// targets (N), int64, and weight (V, H). No tensor of size N x V is ever made. The gradient with
// respect to hidden_i, (weight_target - sum_v p_v weight_v) / temperature, comes from the same pass
// over the vocabulary: it is attention of hidden over the rows of weight as keys and values
// [Dao2022], with a running maximum. Only where the weight is trained too, the backward pass goes
// over the vocabulary again.
TokenLogProbabilities token_log_probabilities(const at::Tensor& hidden, const at::Tensor& targets,
                                              const at::Tensor& weight,
                                              const LogProbabilityOptions& options = {});

}  // namespace rgu::llm
