// The lower bound that a witness proves, recomputed from the model and the utility alone.
#pragma once

#include "rgu/base/convex_set.hpp"
#include "rgu/global/envelope_model.hpp"

namespace rgu {

// The linear minorant of f_xi that a witness uses: the tangent at the point, or, for a drift with a
// direction u, -<(u'W psi)^2, l> / |u|^2. In a Sum each plain drift has its own piece of
// `direction`, one after the other. An empty occupancy stands for 0, which is as good as any other
// if the tangent does not depend on it. Throws InvalidInput on wrong sizes.
Cut tangent(const Utility& utility, const TangentPoint& at);

// The number of entries of TangentPoint::direction: d for each drift without smoothing.
Index direction_size(const Utility& utility);
// The eigenvectors of the least eigenvalues at a point, which `direction` stands for; empty if the
// utility has no such drift.
Vector least_directions(const Utility& utility, const TangentPoint& at);

// Whether tangents depend on the occupancy at which they touch (once directions are given).
bool is_curved(const Utility& utility);
// Whether f is a sum of linear functions of (occupancy, xi) less functions of xi that are convex:
// then the mean of several xi proves at least as much as their mixture.
bool is_bilinear(const Utility& utility);

// How far `point` is outside the set, relative to its size and to the size of the set: 0 inside.
// By the parts of products and intersections, and by the rows of polytopes.
double relative_excess(const ConvexSet& set, const Vector& point);
inline constexpr double kMemberTolerance = 1e-11;  // what rounding may leave of it

struct WitnessBound {
  double bound = 0;      // no member of Lambda has a smaller Gamma; `rounding` is taken off
  double rounding = 0;   // a bound on the rounding errors of this computation
  double shortfall = 0;  // e
};

// One pass over the model. The weights are divided by their sum. That every xi is a member of the
// ambiguity set is for the caller to check. Throws InvalidInput unless the utility is convex in the
// occupancy, there is a piece, the sizes fit, all numbers are finite, weights and occupancies are
// >= 0, and some weight is > 0.
WitnessBound witness_bound(const FiniteMdp& mdp, const Utility& utility, const Witness& witness);

}  // namespace rgu
