#include "rgu/experiment/instance.hpp"

#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/experiment/domain.hpp"
#include "rgu/experiment/in_table.hpp"
#include "rgu/experiment/instance_ambiguity.hpp"
#include "rgu/experiment/instance_model.hpp"
#include "rgu/experiment/instance_utility.hpp"
#include "rgu/experiment/memory_need.hpp"
#include "rgu/mdp/softmax.hpp"
#include "rgu/utility/features.hpp"

namespace rgu {
namespace {

std::unique_ptr<PolicyClass> made(const TabularConfig&, const World& world, std::uint64_t) {
  return std::make_unique<TabularSoftmax>(
      TabularSoftmax::Sizes{world.mdp.states(), world.mdp.actions()});
}

std::unique_ptr<PolicyClass> made(const LogLinearConfig& config, const World& world,
                                  std::uint64_t seed) {
  Matrix features;
  if (config.features) {
    Rng rng(seed, kPolicyFeatureStream);
    features.resize(world.mdp.states() * world.mdp.actions(), *config.features);
    for (double& x : features.reshaped<Eigen::RowMajor>()) x = rng.normal();
  } else {
    std::vector<Matrix> signals;
    for (const std::string& name : config.signals) signals.push_back(signal_named(world, name));
    features = stacked("signal", signals).table;
  }
  return std::make_unique<LogLinearSoftmax>(std::move(features), world.mdp.actions());
}

std::unique_ptr<ConvexSet> parameter_set(const PolicyConfig& config, Index dimension) {
  if (config.set == ParameterSet::kBox) {
    return std::make_unique<Box>(uniform_box(dimension, {-config.bound, config.bound}));
  }
  return std::make_unique<LpBall>(
      LpBallShape{.centre = Vector::Zero(dimension), .radius = config.bound, .p = 2});
}

Vector start_of(const PolicyConfig& config, const ConvexSet& parameters, std::uint64_t seed) {
  const Index dimension = parameters.dimension();
  if (config.start == ParameterStart::kZero) return Vector::Zero(dimension);
  Rng rng(seed, kStartStream);
  return parameters.project(config.start_scale * normal_vector(dimension, rng));
}

}  // namespace

Instance make_instance(const ProblemConfig& config, std::uint64_t seed) {
  const std::uint64_t model_seed = config.model.seed.value_or(seed);
  Rng model_rng(model_seed, kModelStream);
  Rng feature_rng(model_seed, kFeatureStream);
  MadeModel model = in_table("model", [&] {
    check_memory(memory_need(config));
    return make_model(config.model, model_rng);
  });
  const World& world = model.world;
  auto policy = in_table("policy", [&] {
    return std::visit([&](const auto& kind) { return made(kind, world, model_seed); },
                      config.policy.parameterization);
  });
  MadeUtility utility = in_table("utility", [&] {
    return make_utility(config.utility,
                        {.world = world, .seed = model_seed, .features = feature_rng});
  });
  MadeSet ambiguity =
      in_table("ambiguity", [&] { return make_set(config.ambiguity, utility.nature); });
  in_table("ambiguity", [&] {
    check_domain(*utility.utility, *ambiguity.set);
    return 0;
  });
  auto parameters = parameter_set(config.policy, policy->dimension());
  Vector start = start_of(config.policy, *parameters, seed);
  return {.world = std::move(model.world),
          .policy = std::move(policy),
          .utility = std::move(utility.utility),
          .parameters = std::move(parameters),
          .ambiguity = std::move(ambiguity.set),
          .nominal = std::move(ambiguity.centre),
          .start = std::move(start),
          .nature_rows = utility.nature.rows,
          .nature_columns = utility.nature.columns,
          .utility_text = std::move(utility.text),
          .ambiguity_text = std::move(ambiguity.text),
          .map = std::move(model.map),
          .action_names = std::move(model.action_names)};
}

}  // namespace rgu
