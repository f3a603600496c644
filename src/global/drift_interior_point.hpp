// The policy that explores best under the worst feature map: the global minimum of the envelope of
// the drift utility.
#pragma once

#include "rgu/base/convex_set.hpp"
#include "rgu/global/certificate.hpp"
#include "rgu/utility/drift.hpp"

namespace rgu {

struct DriftInteriorPointOptions {
  double tolerance = 1e-8;  // > 0: the gap to reach, relative to |value|
  int iterations = 100;     // >= 1: the most Newton steps
};

// min over Lambda of Gamma(lambda) = -min over W in the ball of lmin(W M(lambda) W'), for a
// Frobenius, spectral or Euclidean ball of radius e around W0. By the duality of drift_search.hpp
// it is a semidefinite program:
//   -min = max of t - nu over lambda in Lambda, nu >= 0 and t, subject to
//     sum_i lambda_i v_i v_i' + diag(-t I, nu I) positive semidefinite,  v_i = (W0 psi_i, e psi_i),
// which an interior-point method solves (rank_one_program.hpp), usually in 10 to 20 steps of
// O((S A)^3).
//
// The bounds do not depend on how well it does. The value is that of the policy returned. For every
// Z positive semidefinite with tr Z11 = 1 and tr Z22 <= 1, Gamma(lambda) >= -sum_i lambda_i v_i'Z
// v_i, so planning against -v_i'Z v_i gives the lower bound. The status is kCertified where the gap
// is at most tolerance |value|, or 1e-12 max |v_i|^2, what rounding leaves of a minimum near 0.
// Rounding may end the progress before: about one random instance in a hundred stops at a relative
// gap between 1e-8 and 1e-6, and as e nears the smallest singular value, digits are lost as the
// value shrinks. The gap says so.
//
// Throws InvalidInput unless the utility has the shape of the model and no smoothing (with one row
// of W, smoothing changes nothing); the set is such a ball of maps (d, d'); e is below the smallest
// singular value of W0, for else Gamma is 0 on all of Lambda; the reachable state-action pairs are
// at most kLargestDriftProgram; and the options are in their ranges.
GlobalSolution drift_interior_point(const FiniteMdp& mdp, const Drift& drift,
                                    const ConvexSet& ambiguity,
                                    const DriftInteriorPointOptions& options = {});

inline constexpr Index kLargestDriftProgram = 10000;  // its Hessian takes 800 MB

}  // namespace rgu
