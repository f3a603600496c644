// The next token of many sequences, from their logits.
#pragma once

#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

#include "rgu/base/rng.hpp"
#include "rgu/llm/decode/decoder.hpp"
#include "rgu/llm/files/token_id.hpp"

namespace rgu::llm {

struct SampledTokens {
  std::vector<TokenId> tokens;
  std::vector<float> log_probabilities;  // as Sequence has them
};

// The number in [0, 1) that a step of a sequence has from its block.
double uniform_of(const RandomBlock& block);

// Row i of `logits` (rows, vocabulary) samples the first token whose cumulated probability, among
// those that the options leave and in the order of ids, is above uniforms[i] of their sum.
SampledTokens sampled_tokens(const at::Tensor& logits, std::span<const double> uniforms,
                             const SamplingOptions& options);

}  // namespace rgu::llm
