// The global minimum of the robust envelope for every utility that is convex in the occupancy.
#pragma once

#include "rgu/base/convex_set.hpp"
#include "rgu/global/certificate.hpp"
#include "rgu/utility/utility.hpp"

namespace rgu {

struct CuttingPlaneOptions {
  double tolerance = 1e-6;  // > 0: the gap to reach, relative to max(|value|, 1e-9)
  int iterations = 500;     // >= 1: the most cuts
};

// min over Lambda of Gamma(lambda) = max over xi of f_xi(lambda). Gamma is a maximum of convex
// functions, so its value and gradient at the worst xi of any lambda give a linear minorant, a cut.
// Each step minimises the largest cut over Lambda by a linear program, evaluates Gamma between that
// point and the best one so far, and adds a cut there.
//
// The lower bound does not depend on how well the linear programs are solved: the multipliers of
// the cuts give one linear minorant, which planning minimises (planning_bound). The upper bound is
// the worst case of the policy returned, with its kind. For small models: the linear programs are
// dense.
//
// Throws InvalidInput unless utility, set and model fit together, the utility is convex in the
// occupancy, S A <= kLargestCuttingPlaneProgram, and the options are in their ranges.
GlobalSolution cutting_plane_minimum(const FiniteMdp& mdp, const Utility& utility,
                                     const ConvexSet& ambiguity,
                                     const CuttingPlaneOptions& options = {});

inline constexpr Index kLargestCuttingPlaneProgram = 2000;

// By the interior-point method where the utility is a plain drift on a ball of maps
// (drift_interior_point.hpp), else by cutting planes.
GlobalSolution global_minimum(const FiniteMdp& mdp, const Utility& utility,
                              const ConvexSet& ambiguity, double tolerance = 1e-6);

}  // namespace rgu
