// How answers are divided into mini-batches and forward passes.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rgu/base/types.hpp"
#include "rgu/llm/files/token_id.hpp"
#include "rgu/llm/torch/losses.hpp"
#include "rgu/llm/torch/ppo_math.hpp"
#include "rgu/llm/torch/transformer.hpp"

namespace rgu::llm {

struct Rollout {
  std::span<const TokenId> prompt = {};  // not empty
  std::span<const TokenId> answer = {};  // not empty; with EOS where it was sampled
};

// All answers in one row, in the order of the rollouts.
AnswerSpans spans_of(std::span<const Rollout> rollouts);

// Answers that go through the model side by side.
struct Pass {
  LanguageBatch language;      // only answer tokens are predicted
  std::vector<Index> entries;  // where each of them stands in the row of all answers
  at::Tensor weights;          // of each in the mean over the mini-batch, float64

  std::int64_t tokens() const { return language.predicted(); }
};
using MiniBatch = std::vector<Pass>;

// Stretches of `order`, a permutation of the rollouts, of options.minibatch each (the last may be
// smaller), in options.accumulation passes. Rows of like length share a pass: that saves padding
// and changes nothing else, since a mini-batch is one sum.
std::vector<MiniBatch> minibatches(std::span<const Rollout> rollouts,
                                   std::span<const std::int64_t> order, const PpoOptions& options);

// (tokens, hidden): the states that the tokens of the pass were chosen in.
at::Tensor answer_states(const Transformer& model, const Pass& pass,
                         std::optional<std::uint64_t> dropout_seed = {});

// Between a float64 tensor, on the CPU, and a vector.
at::Tensor tensor_of(const Vector& values);
Vector vector_of(const at::Tensor& values);  // of any type, anywhere

}  // namespace rgu::llm
