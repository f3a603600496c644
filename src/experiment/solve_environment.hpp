// Problems whose model nobody knows: an environment gives trajectories, and all numbers are
// estimates from those.
#pragma once

#include <cstdint>
#include <memory>

#include "rgu/experiment/config.hpp"
#include "rgu/experiment/solve_seed.hpp"
#include "rgu/gradient/trajectory_oracle.hpp"

namespace rgu {

struct EnvironmentProblem {
  std::shared_ptr<const TrajectorySource> source;
  std::shared_ptr<const PolicyClass> policy;
  std::shared_ptr<const Utility> utility;
  std::shared_ptr<const ConvexSet> parameters;  // Theta
  std::shared_ptr<const ConvexSet> ambiguity;   // Xi
  Vector nominal;
  Vector start;  // theta_0, a member of Theta
  double discount = 0;
};

// By the methods worst-case, pgda, pgda-lp and prox-extragradient. After each measured iteration
// the policy plays a batch of its own, from which objective, envelope and nominal value are taken;
// metrics that need the model are NaN. The worst case in the result is that of a sampled occupancy:
// best found, whatever the utility. Throws InvalidInput on options that need the model.
SolvedSeed solve_environment(const ProblemConfig& config, const EnvironmentProblem& problem,
                             std::uint64_t seed, const SeedHooks& hooks);

// What a record says of it beyond the seeds.
RunRecord about(const ProblemConfig& config, const EnvironmentProblem& problem);

}  // namespace rgu
