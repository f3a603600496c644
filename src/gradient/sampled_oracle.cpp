#include "rgu/gradient/sampled_oracle.hpp"

#include "rgu/base/check.hpp"
#include "rgu/gradient/check_parts.hpp"

namespace rgu {

SampledOracle::SampledOracle(const TrajectorySampler& sampler, const PolicyClass& policy,
                             const Utility& utility, SampledOracleOptions options)
    : sampler_(sampler),
      policy_(policy),
      utility_(utility),
      options_(options),
      factor_(gradient_factor(options.scale, sampler.mdp().discount())) {
  check_parts(sampler.mdp(), policy, utility);
  for (const BatchSize& batch : {options.occupancy, options.policy}) {
    check_count("number of trajectories", batch.trajectories);
    check_count("horizon", batch.horizon);
  }
}

SaddleGradient SampledOracle::estimate(const SaddlePoint& at, Rng& rng) const {
  const Matrix pi = policy_.probabilities(at.policy);
  const Matrix lambda = sampler_.occupancy(pi, options_.occupancy, rng.fork());
  UtilityGradient utility = utility_.evaluate(lambda, at.nature);
  const Matrix weight =
      factor_ * sampler_.score_weights(pi, utility.occupancy, options_.policy, rng.fork());
  return {.value = utility.value,
          .policy = policy_.score(at.policy, pi, weight),
          .nature = std::move(utility.nature),
          .samples = transitions(options_.occupancy) + transitions(options_.policy)};
}

SaddleGradient SampledOracle::estimate_nature(const SaddlePoint& at, Rng& rng) const {
  const Matrix lambda =
      sampler_.occupancy(policy_.probabilities(at.policy), options_.occupancy, rng.fork());
  UtilityGradient utility = utility_.evaluate(lambda, at.nature);
  return {.value = utility.value,
          .policy = {},
          .nature = std::move(utility.nature),
          .samples = transitions(options_.occupancy)};
}

}  // namespace rgu
