// Gradients of f_xi(lambda_theta) for both players, estimated from trajectories.
#pragma once

#include "rgu/gradient/policy_gradient_scale.hpp"
#include "rgu/mdp/policy.hpp"
#include "rgu/mdp/sampler.hpp"
#include "rgu/saddle/saddle_problem.hpp"
#include "rgu/utility/utility.hpp"

namespace rgu {

struct SampledOracleOptions {
  BatchSize occupancy = {};  // (m, H): lambda_hat, and from it the value, c_hat and grad_xi
  BatchSize policy = {};     // (m', H'): grad_theta, from trajectories independent of the first
  PolicyGradientScale scale = PolicyGradientScale::kDerivative;
};

// GPOMDP with a general utility [RGU, Alg. stochastic_gradient]. Each call draws two fresh stream
// families from the Rng, for nature alone one. Keeps references to its parts.
class SampledOracle final : public GradientOracle {
 public:
  // Throws InvalidInput where shapes do not fit together or a batch is empty.
  SampledOracle(const TrajectorySampler& sampler, const PolicyClass& policy, const Utility& utility,
                SampledOracleOptions options = {});

  SaddleGradient estimate(const SaddlePoint& at, Rng& rng) const override;
  SaddleGradient estimate_nature(const SaddlePoint& at, Rng& rng) const override;

 private:
  const TrajectorySampler& sampler_;
  const PolicyClass& policy_;
  const Utility& utility_;
  SampledOracleOptions options_;
  double factor_;
};

}  // namespace rgu
