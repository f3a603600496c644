// What a run of constrained reinforcement learning has to say about its constraints.
#pragma once

#include <optional>

#include "rgu/base/convex_set.hpp"
#include "rgu/utility/utility.hpp"

namespace rgu {

struct ConstraintReport {
  Vector violation;    // (K): <c_k, lambda> - tau_k; <= 0 where the constraint holds
  double largest = 0;  // of them
};

// The constraints of a Constrained utility, also inside NatureRegularized and Sum (those of its
// parts one after the other), at lambda (S, A). Empty if the utility has none. Throws InvalidInput
// on a wrong shape.
std::optional<ConstraintReport> constraint_report(const Utility& utility, const Matrix& occupancy);

// Are the multipliers of a Constrained utility at the upper edge of their set, where a larger set
// would let them grow on? Then the constraints may be out of reach, or the set too small for them.
// The edge is looked at by the set's kind, with xi at most `tolerance`, relative, away from it:
//   Box, LpBall with p = infinity  some coordinate at its upper end (of an interval that is none
//                                  but a point: not)
//   CappedOrthant                  the sum at its total
//   other sets                     (1 + tolerance) xi is outside, by at least a tenth of what was
//                                  added; never at xi = 0
// False if the utility has no constraints, or if they are parts of a Sum whose set is not a product
// that lines up with it. Throws InvalidInput unless the dimensions agree and tolerance > 0.
bool multipliers_on_edge(const Utility& utility, const ConvexSet& ambiguity, const Vector& nature,
                         double tolerance = 1e-6);

}  // namespace rgu
