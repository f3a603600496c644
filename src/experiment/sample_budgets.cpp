#include "rgu/experiment/sample_budgets.hpp"

#include "rgu/base/check.hpp"
#include "rgu/experiment/method.hpp"

namespace rgu {
namespace {

BatchSize batch(const Schedule& trajectories, const Schedule& horizon, Index k) {
  return {.trajectories = trajectories.at(k), .horizon = horizon.at(k)};
}

bool changes(const Schedule& schedule) { return schedule.growing || schedule.values.size() > 1; }

}  // namespace

SampledOracleOptions budgets(const GradientConfig& config, Index k) {
  return {.occupancy = batch(config.trajectories, config.horizon, k),
          .policy = batch(config.policy_trajectories.value_or(config.trajectories),
                          config.policy_horizon.value_or(config.horizon), k),
          .scale = config.policy_gradient};
}

void check_budgets(const ProblemConfig& config) {
  const GradientConfig& gradient = config.gradient;
  const bool change = changes(gradient.trajectories) || changes(gradient.horizon) ||
                      (gradient.policy_trajectories && changes(*gradient.policy_trajectories)) ||
                      (gradient.policy_horizon && changes(*gradient.policy_horizon));
  check(!change || gradient.kind == GradientKind::kExact || is_proximal(config),
        "gradient: trajectories or horizon change with the iteration; only the method "
        "prox-extragradient takes schedules");
}

}  // namespace rgu
