// From answers and their scores to advantages and returns: what an update learns from.
#pragma once

#include <span>
#include <vector>

#include "rgu/base/types.hpp"
#include "rgu/llm/torch/ppo_measure.hpp"
#include "rgu/llm/torch/ppo_options.hpp"
#include "rgu/llm/torch/ppo_passes.hpp"

namespace rgu::llm {

struct PpoBatch {
  std::span<const Rollout> rollouts = {};
  // (answers, critics). Critics::kOne: one column, the score to be made large. kSeparate: a column
  // for each score. A score that is to be made small, a cost, is made larger by the KL: the penalty
  // of column j is sign(mixing_j) times that of the policy, where the sign of 0 is + in column 0
  // and
  // - in the others. So with mixing (1, -xi) / (1 + xi) the mixture's penalty is -coefficient kl
  // for every xi >= 0, and a cost critic's returns do not jump where xi reaches 0.
  Matrix scores = {};
  Vector mixing = Vector::Ones(1);  // (critics): what advantages are mixed by; {1} with one critic
  double temperature = 1;           // that answers were sampled with: logits are divided by it
};

// One number for each token of the row of all answers.
struct Lesson {
  OldPolicy old = {};
  double temperature = 1;
  Vector advantages = {};            // mixed, whitened where the options say so
  double advantage_mean = 0;         // ... before whitening
  double advantage_deviation = 0;    // ... before whitening
  std::vector<Vector> returns = {};  // of each critic

  bool finite() const;
};

Lesson lesson_of(const PpoBatch& batch, OldPolicy old, double kl_coefficient,
                 const PpoOptions& options);

// The mean squared distance from the mean.
double variance(const Vector& values);

}  // namespace rgu::llm
