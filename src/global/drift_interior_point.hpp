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
// which an interior-point method solves (drift_program.hpp) in 10 to 30 steps. A step factorises
// normal equations of order S + d'(d' + 1)/2, S the reachable states, however many actions there
// are: all rank-one terms lie in the space of the (d', d') symmetric matrices. Dense kernels add
// S A (S + d'(d' + 1)/2)^2 operations to a step; sparse kernels are used as such.
//
// The bounds do not depend on how well it does. The value is that of the policy returned. For every
// Z = sum_k z_k z_k', z_k = (u_k, y_k), with sum |u_k|^2 = 1 and |y_k| <= |u_k|, the maps W_k = W0
// + e u_k y_k'/|u_k|^2 are members of the ball and Gamma(lambda) >= -sum_i lambda_i v_i'Z v_i, the
// mean slope of these maps, against which planning gives the lower bound. They and the planned
// values are the witness. The status is kCertified if the gap is at most tolerance |value|, or
// 1e-14 max |v_i|^2, what rounding leaves of a minimum near 0. Rounding may end the progress
// before: at a discount of 0.9999 some instances stop at a relative gap between 1e-9 and 1e-7, and
// as e nears the smallest singular value, digits are lost as the value shrinks. The gap says so.
//
// Throws InvalidInput unless the utility has the shape of the model and no smoothing (with one row
// of W, smoothing changes nothing); the set is such a ball of maps (d, d'); e is below the smallest
// singular value of W0, for else Gamma is 0 on all of Lambda; the normal equations have an order of
// at most kLargestDriftOrder; and the options are in their ranges.
GlobalSolution drift_interior_point(const FiniteMdp& mdp, const Drift& drift,
                                    const ConvexSet& ambiguity,
                                    const DriftInteriorPointOptions& options = {});

// The matrix of so many equations takes 800 MB, and one of the 10 to 30 factorisations takes 3.3e11
// operations: 10 s at 30 GFLOPS.
inline constexpr Index kLargestDriftOrder = 10000;

// An upper bound on the order of the normal equations: all states count as reachable.
Index drift_program_order(const FiniteMdp& mdp, const Drift& drift);

}  // namespace rgu
