// What an alignment run reports of one outer step.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rgu/base/types.hpp"

namespace rgu::align {

// Numbers by name, in the order in which they are written. Names with a slash belong to one reward
// or constraint: "cost/harm".
struct StepNumbers {
  Index iteration = 0;  // k + 1: outer steps done
  std::vector<std::pair<std::string, double>> values = {};

  void put(std::string name, double value) { values.emplace_back(std::move(name), value); }
  // NaN where there is none.
  double at(std::string_view name) const {
    for (const auto& [key, value] : values) {
      if (key == name) return value;
    }
    return std::numeric_limits<double>::quiet_NaN();
  }
};

struct MetricHelp {
  std::string_view name;    // "cost/": of each constraint
  std::string_view symbol;  // as people write it, plain text
  std::string_view help;
};

// theta_k is the policy before the step, xi_{k+1} nature after it. "evaluation": on answers that
// the step did not learn from, to prompts held out.
inline constexpr std::array kMetricHelp = {
    MetricHelp{"objective", "f", "−R + ξ(C − d) at θₖ and ξₖ₊₁, evaluation"},
    MetricHelp{"envelope", "Γ", "the worst case of θₖ over all ξ, evaluation"},
    MetricHelp{"reward", "R", "mean reward (of several: with uniform weights), evaluation"},
    MetricHelp{"reward/", "R", "mean of one reward, evaluation"},
    MetricHelp{"cost/", "C", "mean cost, evaluation"},
    MetricHelp{"violation", "max(C − d)",
               "largest excess of a cost over its threshold, evaluation"},
    MetricHelp{"train_objective", "f, train", "the same on the answers learned from"},
    MetricHelp{"train_reward", "R, train", "mean reward of the answers learned from"},
    MetricHelp{"train_cost/", "C, train", "mean cost of the answers learned from"},
    MetricHelp{"multiplier/", "ξ", "multiplier of a constraint"},
    MetricHelp{"weight/", "w", "weight that nature gives a reward"},
    MetricHelp{"score_mean", "s", "mean of the scores that PPO is given"},
    MetricHelp{"score_deviation", "sd(s)", "their standard deviation"},
    MetricHelp{"kl", "KL", "KL divergence from the reference, nats an answer"},
    MetricHelp{"kl_coefficient", "β_KL", "weight of the KL penalty"},
    MetricHelp{"entropy", "H", "entropy of the policy, nats a token"},
    MetricHelp{"length_mean", "tokens", "mean length of answers, evaluation"},
    MetricHelp{"length_max", "max tokens", "longest answer, evaluation"},
    MetricHelp{"finished", "ended", "share of answers that ended by themselves, evaluation"},
    MetricHelp{"non_score_reward", "−β_KL KL", "mean KL penalty a token"},
    MetricHelp{"policy_loss", "L_π", "clipped loss of the policy"},
    MetricHelp{"value_loss", "L_V", "clipped loss of the value heads"},
    MetricHelp{"total_loss", "L", "their weighted sum"},
    MetricHelp{"clip_fraction", "clipped", "share of tokens with a clipped ratio"},
    MetricHelp{"value_clip_fraction", "V clipped", "share of tokens with a clipped value"},
    MetricHelp{"approximate_kl", "½(Δ log π)²", "how far the update moved the policy"},
    MetricHelp{"policy_kl", "KL(old, new)", "the same, as early stopping sees it"},
    MetricHelp{"mean_ratio", "ratio", "mean probability ratio"},
    MetricHelp{"gradient_norm", "|g|", "norm of the gradient before clipping"},
    MetricHelp{"advantage_mean", "A", "mean advantage before whitening"},
    MetricHelp{"advantage_deviation", "sd(A)", "its standard deviation"},
    MetricHelp{"return_mean", "return", "mean return"},
    MetricHelp{"return_variance", "var(return)", "variance of the returns"},
    MetricHelp{"value_mean", "V", "mean value"},
    MetricHelp{"explained_variance", "1 − var(R − V)/var(R)", "what the value heads explain"},
    MetricHelp{"learning_rate", "η", "learning rate"},
    MetricHelp{"epochs", "epochs", "epochs begun before early stopping"},
    MetricHelp{"skipped", "skipped", "mini-batches skipped by the ratio limit"},
    MetricHelp{"answer_tokens", "tokens", "answer tokens learned from"},
    MetricHelp{"answers", "answers", "answers drawn so far, evaluation included"},
};

// The line of the table for a name such as "cost/harm"; null where there is none.
inline const MetricHelp* help_of(std::string_view name) {
  const std::size_t slash = name.find('/');
  const std::string_view key = slash == std::string_view::npos ? name : name.substr(0, slash + 1);
  for (const MetricHelp& help : kMetricHelp) {
    if (help.name == key) return &help;
  }
  return nullptr;
}

}  // namespace rgu::align
