// Which sets are budgets: a total change, shared among entries that each have limits.
#pragma once

#include <optional>

#include "rgu/ambiguity/bounds.hpp"
#include "rgu/base/convex_set.hpp"

namespace rgu {

// {x : |x - centre|_1 <= total, lower <= x <= upper} with the centre inside the limits.
struct Budget {
  Vector centre;
  double total = 0;
  Bounds limits;
};

// The set as a budget: an IntersectionSet of one LpBall with p = 1 and boxes that contain its
// centre.
std::optional<Budget> as_budget(const ConvexSet& set);

// A member with the largest <direction, x>, in O(n log n): the entries of the largest |direction|
// are changed first, each as far as its limits and the rest of the total allow.
Vector support_point(const Budget& budget, const Vector& direction);

}  // namespace rgu
