// Random answers, updates of them, and comparisons of what these leave.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "models.hpp"
#include "rgu/llm/torch/ppo_trainer.hpp"

namespace rgu::llm {

// Answers of 1 .. 5 random tokens to prompts of 1 .. 4.
struct Answers {
  std::vector<std::vector<TokenId>> prompts = {};
  std::vector<std::vector<TokenId>> answers = {};
  Vector rewards = {};
  Vector costs = {};

  explicit Answers(std::size_t count, std::uint64_t seed = 5) {
    Rng rng(seed);
    const auto tokens = [&](std::uint64_t most) {
      std::vector<TokenId> drawn(1 + rng.below(most));
      for (TokenId& token : drawn) token = static_cast<TokenId>(rng.below(29));
      return drawn;
    };
    for (std::size_t i = 0; i < count; ++i) {
      prompts.push_back(tokens(4));
      answers.push_back(tokens(5));
    }
    rewards = normal_vector(static_cast<Index>(count), rng);
    costs = normal_vector(static_cast<Index>(count), rng);
  }

  std::vector<Rollout> rollouts() const {
    std::vector<Rollout> made;
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      made.push_back({.prompt = prompts[i], .answer = answers[i]});
    }
    return made;
  }
};

inline Transformer adapted_model(DataType type = DataType::kF32) {
  Transformer model = small_model(small_neox(), {.compute = type});
  add_lively_adapter(model, {.rank = 2});
  return model;
}

inline PpoReport updated(PpoTrainer& trainer, const Answers& answers) {
  const std::vector<Rollout> rollouts = answers.rollouts();
  return trainer.update({.rollouts = rollouts, .scores = answers.rewards});
}

inline std::vector<at::Tensor> copies(const std::vector<NamedTensor>& parameters) {
  std::vector<at::Tensor> made;
  for (const NamedTensor& parameter : parameters) made.push_back(parameter.tensor.detach().clone());
  return made;
}

inline double moved(const std::vector<NamedTensor>& parameters,
                    const std::vector<at::Tensor>& from) {
  double largest = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    largest = std::max(largest, distance(parameters[i].tensor, from[i]));
  }
  return largest;
}

inline bool same_bits(const Weights& a, const Weights& b) {
  return std::ranges::equal(a.tensors, b.tensors, [](const auto& left, const auto& right) {
    return left.first == right.first && left.second.shape == right.second.shape &&
           std::ranges::equal(left.second.bytes, right.second.bytes);
  });
}

inline bool same_bits(const PpoTrainer::State& a, const PpoTrainer::State& b) {
  return a.updates == b.updates && a.kl_coefficient == b.kl_coefficient &&
         same_bits(a.parameters, b.parameters) && same_bits(a.optimizer, b.optimizer);
}

inline double largest_difference(const Weights& a, const Weights& b) {
  double largest = 0;
  for (const auto& [name, view] : a.tensors) {
    const std::vector<float> left = floats_of(view), right = floats_of(b.at(name));
    for (std::size_t i = 0; i < left.size(); ++i) {
      largest = std::max(largest, std::abs(static_cast<double>(left[i]) - right[i]));
    }
  }
  return largest;
}

// Every number of a report, for comparisons.
inline std::vector<double> numbers_of(const PpoReport& r) {
  return {r.kl,
          r.entropy,
          r.non_score_reward,
          r.policy_loss,
          r.value_loss,
          r.total_loss,
          r.clip_fraction,
          r.value_clip_fraction,
          r.mean_ratio,
          r.policy_kl,
          r.approximate_kl,
          r.gradient_norm,
          r.return_mean,
          r.value_mean,
          r.advantage_mean,
          r.advantage_deviation,
          r.kl_coefficient,
          r.return_variance,
          r.explained_variance,
          r.learning_rate};
}

inline void expect_close(const PpoReport& a, const PpoReport& b, double tolerance) {
  const std::vector<double> left = numbers_of(a), right = numbers_of(b);
  for (std::size_t i = 0; i < left.size(); ++i) EXPECT_NEAR(left[i], right[i], tolerance) << i;
}

}  // namespace rgu::llm
