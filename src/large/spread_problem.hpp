// A problem file made into the objects that a job of several processes works on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "rgu/experiment/config.hpp"
#include "rgu/large/spread_model.hpp"
#include "rgu/large/spread_utility.hpp"

namespace rgu {

struct SpreadProblem {
  std::unique_ptr<SpreadModel> model;
  std::unique_ptr<SpreadUtility> utility;
};

// The model and the utility that make_instance(config, seed) has, each rank with its own states.
// Taken are
//   models     all; only .rgum files and generators are read or made slice by slice
//   utilities  reward, reward-robust, feature-reward, constrained, entropy, drift without
//   smoothing,
//              and quadratic-target and kl-target with demonstrations from a file
//   sets       for rewards and targets singleton, lp-ball, frobenius and a box with a radius
//   (targets:
//              p = 2 or a box; kl-target: a box); for drift frobenius, spectral, l2 ball and
//              singleton; for feature weights and multipliers all sets
// Throws InvalidInput, the same on all ranks, on everything else and as make_instance does.
SpreadProblem make_spread_problem(const ProblemConfig& config, std::uint64_t seed, Ranks& ranks);

}  // namespace rgu
