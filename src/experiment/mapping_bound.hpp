// What the theorem of PGDA says of a run, to be drawn beside what was measured.
#pragma once

#include <optional>

#include "rgu/experiment/config.hpp"
#include "rgu/experiment/instance.hpp"
#include "rgu/theory/constants.hpp"

namespace rgu {

// The root of the bound on the mean of |G_Gamma|^2 over the first K iterations
// [RGU, Thm. pgda_converge], for the method worst-case with exact gradients: nature then misses
// nothing, and G_Gamma is the policy's mapping.
class MappingBound {
 public:
  double at(Index iterations) const;

 private:
  friend std::optional<MappingBound> mapping_bound(const ProblemConfig& config,
                                                   const Instance& instance);

  ProblemNumbers numbers_;
  double policy_step_ = 0;     // eta
  double initial_excess_ = 0;  // Gamma(theta_0) - Gamma*, at most; in the scale of the numbers
};

// Empty unless the config, with its steps settled, follows the theorem so. Gamma* is bounded by the
// envelope solver where the utility is convex in the occupancy, else by the constants.
std::optional<MappingBound> mapping_bound(const ProblemConfig& config, const Instance& instance);

}  // namespace rgu
