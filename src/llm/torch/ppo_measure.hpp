// The policy that answers were sampled from, on these answers: what an update starts from.
#pragma once

#include <span>
#include <vector>

#include "rgu/base/ranks.hpp"
#include "rgu/base/types.hpp"
#include "rgu/llm/torch/ppo_passes.hpp"
#include "rgu/llm/torch/transformer.hpp"
#include "rgu/llm/torch/value_head.hpp"

namespace rgu::llm {

// One number for each token of the row of all answers.
struct OldPolicy {
  Vector log_probabilities = {};
  Vector entropy = {};              // of the distribution the token was chosen from
  Vector kl = {};                   // to the reference, by the chosen estimator
  std::vector<Vector> values = {};  // by each value head
};

struct MeasureOptions {
  KlEstimator kl_estimator = KlEstimator::kK1;
  double temperature = 1;
};

// The reference is the model with its adapter off. Without gradients and dropout, in the passes
// given, which must hold every answer once. A model that computes one of these passes again gets
// the same numbers, to the last bit. Each rank measures its own passes (ppo_ranks.hpp); all get all
// numbers.
OldPolicy measured(Transformer& model, std::span<const ValueHead> heads,
                   std::span<const MiniBatch> passes, const MeasureOptions& options,
                   Ranks& ranks = alone());

}  // namespace rgu::llm
