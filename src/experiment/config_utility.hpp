// The table [utility] of a problem file, as plain data. Signals are names of World::signals.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "rgu/base/types.hpp"
#include "rgu/utility/marginal.hpp"

namespace rgu {

struct RewardConfig {
  std::string signal = "reward";
};

struct RewardRobustConfig {
  std::string signal = "reward";  // the nominal reward
};

struct FeatureRewardConfig {
  std::vector<std::string> signals;
  std::vector<double> weights;  // the nominal xi, one for each signal
};

// Exactly one of the two bounds.
struct ConstraintConfig {
  std::string signal;
  std::optional<double> at_most;
  std::optional<double> at_least;
};

// Maximise `signal` or minimise `cost`: exactly one of them, "reward" where neither is given.
struct ConstrainedConfig {
  std::optional<std::string> signal;
  std::optional<std::string> cost;
  std::vector<ConstraintConfig> constraints;
};

struct EntropyConfig {
  Marginal over = Marginal::kStates;
  double delta = 1e-6;
};

// Trajectories of the policy that is optimal for `signal`, sampled from the model.
struct ExpertConfig {
  std::string signal = "reward";
  Index trajectories = 50;
  Index horizon = 100;
};

// Exactly one of the two.
struct DemonstrationsConfig {
  std::optional<std::filesystem::path> file;  // absolute; see demonstrations.hpp
  std::optional<ExpertConfig> expert;
};

struct QuadraticTargetConfig {
  DemonstrationsConfig demonstrations;
};

struct KlTargetConfig {
  DemonstrationsConfig demonstrations;
  Marginal over = Marginal::kStates;
  double delta = 1e-6;
};

struct NormalFeaturesConfig {
  Index feature_dimension = 20;
};

struct SignalFeaturesConfig {
  std::vector<std::string> signals;
};

struct DriftConfig {
  Index dimension = 10;
  double smoothing = 0;
  std::variant<NormalFeaturesConfig, SignalFeaturesConfig> features;
};

struct VarianceConfig {
  std::vector<std::string> signals;
  std::vector<double> weights;  // the nominal xi, one for each signal
  double aversion = 1;
};

struct SumPart;

struct SumConfig {
  std::vector<SumPart> parts;
};

struct UtilityConfig {
  std::variant<RewardConfig, RewardRobustConfig, FeatureRewardConfig, ConstrainedConfig,
               EntropyConfig, QuadraticTargetConfig, KlTargetConfig, DriftConfig, VarianceConfig,
               SumConfig>
      kind;
  double regularization = 0;  // mu of -(mu/2) |xi - nominal|^2; 0: off
};

struct SumPart {
  double weight = 1;
  UtilityConfig utility;
};

}  // namespace rgu
