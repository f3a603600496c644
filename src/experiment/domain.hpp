// Does the ambiguity set stay where the utility makes sense?
#pragma once

#include "rgu/base/convex_set.hpp"
#include "rgu/utility/utility.hpp"

namespace rgu {

// Throws InvalidInput where the set has multipliers of constraints below 0, or targets of a
// KlTarget at or below -delta, where it is not defined. Looks into NatureRegularized, not into
// sums.
void check_domain(const Utility& utility, const ConvexSet& ambiguity);

}  // namespace rgu
