#include "rgu/experiment/instance_utility.hpp"

#include <fmt/ranges.h>

#include "rgu/base/check.hpp"
#include "rgu/experiment/demonstrations.hpp"
#include "rgu/experiment/in_table.hpp"
#include "rgu/experiment/instance_model.hpp"
#include "rgu/utility/constrained.hpp"
#include "rgu/utility/drift.hpp"
#include "rgu/utility/entropy.hpp"
#include "rgu/utility/regularized.hpp"
#include "rgu/utility/reward.hpp"
#include "rgu/utility/reward_robust.hpp"
#include "rgu/utility/sum.hpp"
#include "rgu/utility/target.hpp"
#include "rgu/utility/variance.hpp"

namespace rgu {
namespace {

Nature vector_nature(Vector nominal) {
  const Index size = nominal.size();
  return {.nominal = std::move(nominal), .rows = size, .columns = 1, .parts = {}};
}

Nature matrix_nature(const Matrix& nominal) {
  return {
      .nominal = flatten(nominal), .rows = nominal.rows(), .columns = nominal.cols(), .parts = {}};
}

std::vector<Matrix> signals_named(const World& world, const std::vector<std::string>& names) {
  std::vector<Matrix> signals;
  for (const std::string& name : names) signals.push_back(signal_named(world, name));
  return signals;
}

OccupancyShape shape_of(const World& world) {
  return {.states = world.mdp.states(), .actions = world.mdp.actions()};
}

std::string sizes_of(const World& world) {
  return fmt::format("{} states x {} actions", world.mdp.states(), world.mdp.actions());
}

MadeUtility made(const RewardConfig& config, const UtilityContext& context) {
  const Matrix& reward = signal_named(context.world, config.signal);
  return {std::make_shared<LinearReward>(reward), vector_nature(Vector(0)),
          fmt::format("minus the reward: -<r, lambda>, r = {}, {}", config.signal,
                      sizes_of(context.world))};
}

MadeUtility made(const RewardRobustConfig& config, const UtilityContext& context) {
  const Matrix& reward = signal_named(context.world, config.signal);
  return {std::make_shared<RewardRobust>(shape_of(context.world)), matrix_nature(reward),
          fmt::format("minus an uncertain reward: -<xi, lambda>, xi near {}, {}", config.signal,
                      sizes_of(context.world))};
}

MadeUtility made(const FeatureRewardConfig& config, const UtilityContext& context) {
  return {std::make_shared<FeatureRewardRobust>(signals_named(context.world, config.signals)),
          vector_nature(to_vector(config.weights)),
          fmt::format("minus a reward with uncertain weights: -<sum_i xi_i phi_i, lambda>, phi = "
                      "({}), {}",
                      fmt::join(config.signals, ", "), sizes_of(context.world))};
}

MadeUtility made(const ConstrainedConfig& config, const UtilityContext& context) {
  const std::string objective = config.cost ? *config.cost : config.signal.value_or("reward");
  const double sign = config.cost ? 1 : -1;
  const auto count = std::ssize(config.constraints);
  ConstrainedCosts costs{.objective = sign * signal_named(context.world, objective),
                         .constraints = {},
                         .thresholds = Vector(count)};
  std::vector<std::string> limits;
  for (Index k = 0; k < count; ++k) {
    const ConstraintConfig& limit = config.constraints[static_cast<std::size_t>(k)];
    // <c, lambda> >= tau is <-c, lambda> <= -tau.
    const double side = limit.at_most ? 1 : -1;
    const double threshold = limit.at_most ? *limit.at_most : limit.at_least.value();
    costs.constraints.push_back(side * signal_named(context.world, limit.signal));
    costs.thresholds(k) = side * threshold;
    limits.push_back(fmt::format("{} {} {}", limit.signal, limit.at_most ? "<=" : ">=", threshold));
  }
  return {std::make_shared<Constrained>(std::move(costs)), vector_nature(Vector::Zero(count)),
          fmt::format("{} {} subject to {}: <c_0 + sum_k xi_k c_k, lambda> - <xi, tau>, {}",
                      config.cost ? "least" : "most", objective, fmt::join(limits, ", "),
                      sizes_of(context.world))};
}

MadeUtility made(const EntropyConfig& config, const UtilityContext& context) {
  const bool states = config.over == Marginal::kStates;
  return {std::make_shared<Entropy>(EntropyOptions{
              .shape = shape_of(context.world), .over = config.over, .delta = config.delta}),
          vector_nature(Vector(0)),
          fmt::format("minus the entropy of {}: sum_i p_i log(p_i + delta), {}",
                      states ? "states" : "state-actions", sizes_of(context.world))};
}

MadeUtility made(const QuadraticTargetConfig& config, const UtilityContext& context) {
  const Matrix target = demonstrated_occupancy(config.demonstrations, context.world, context.seed);
  return {std::make_shared<QuadraticTarget>(shape_of(context.world)), matrix_nature(target),
          fmt::format("squared distance to demonstrations: (1/2) |lambda - xi|^2, {}",
                      sizes_of(context.world))};
}

MadeUtility made(const KlTargetConfig& config, const UtilityContext& context) {
  const Matrix target = demonstrated_occupancy(config.demonstrations, context.world, context.seed);
  const bool states = config.over == Marginal::kStates;
  return {std::make_shared<KlTarget>(KlTargetOptions{
              .shape = shape_of(context.world), .over = config.over, .delta = config.delta}),
          states ? vector_nature(marginal(config.over, target)) : matrix_nature(target),
          fmt::format("divergence from demonstrations: sum_i p_i log((p_i + delta) / (xi_i + "
                      "delta)) over {}, {}",
                      states ? "states" : "state-actions", sizes_of(context.world))};
}

// psi: (S * A, d').
Matrix made_features(const NormalFeaturesConfig& config, const UtilityContext& context) {
  const Index pairs = context.world.mdp.states() * context.world.mdp.actions();
  Matrix features(pairs, config.feature_dimension);
  for (double& x : features.reshaped<Eigen::RowMajor>()) x = context.features.normal();
  return features;
}

Matrix made_features(const SignalFeaturesConfig& config, const UtilityContext& context) {
  return stacked("signal", signals_named(context.world, config.signals)).table;
}

MadeUtility made(const DriftConfig& config, const UtilityContext& context) {
  Matrix features =
      std::visit([&](const auto& kind) { return made_features(kind, context); }, config.features);
  const Index columns = features.cols();
  auto drift = std::make_shared<Drift>(DriftOptions{.actions = context.world.mdp.actions(),
                                                    .features = std::move(features),
                                                    .dimension = config.dimension,
                                                    .smoothing = config.smoothing});
  return {std::move(drift), matrix_nature(Matrix::Identity(config.dimension, columns)),
          fmt::format("minus the least eigenvalue of W M(lambda) W', M = sum lambda psi psi', W {} "
                      "x {}{}, {}",
                      config.dimension, columns,
                      config.smoothing > 0 ? fmt::format(", smoothed by {}", config.smoothing) : "",
                      sizes_of(context.world))};
}

MadeUtility made(const VarianceConfig& config, const UtilityContext& context) {
  return {
      std::make_shared<Variance>(VarianceOptions{
          .features = signals_named(context.world, config.signals), .aversion = config.aversion}),
      vector_nature(to_vector(config.weights)),
      fmt::format("minus the mean plus {} times the variance of r = sum_i xi_i phi_i, phi = "
                  "({}), {}",
                  config.aversion, fmt::join(config.signals, ", "), sizes_of(context.world))};
}

MadeUtility made(const SumConfig& config, const UtilityContext& context) {
  std::vector<WeightedUtility> parts;
  std::vector<std::string> texts;
  Nature nature;
  for (std::size_t i = 0; i < config.parts.size(); ++i) {
    MadeUtility part = in_table(fmt::format("parts[{}]", i),
                                [&] { return make_utility(config.parts[i].utility, context); });
    parts.push_back({config.parts[i].weight, part.utility});
    texts.push_back(fmt::format("{} ({})", config.parts[i].weight, part.text));
    nature.rows += part.nature.nominal.size();
    nature.parts.push_back(std::move(part.nature));
  }
  nature.nominal.resize(nature.rows);
  Index begin = 0;
  for (const Nature& part : nature.parts) {
    nature.nominal.segment(begin, part.nominal.size()) = part.nominal;
    begin += part.nominal.size();
  }
  return {std::make_shared<Sum>(std::move(parts)), std::move(nature),
          fmt::format("{}", fmt::join(texts, " + "))};
}

}  // namespace

MadeUtility make_utility(const UtilityConfig& config, const UtilityContext& context) {
  MadeUtility result =
      std::visit([&](const auto& kind) { return made(kind, context); }, config.kind);
  if (config.regularization > 0) {
    result.utility = std::make_shared<NatureRegularized>(
        result.utility, NatureRegularization{config.regularization, result.nature.nominal});
    result.text += fmt::format(", less {}/2 |xi - nominal|^2", config.regularization);
  }
  return result;
}

}  // namespace rgu
