// Sets with few vertices, over which a convex function is maximised by trying each.
#pragma once

#include <functional>
#include <optional>

#include "rgu/ambiguity/bounds.hpp"
#include "rgu/base/convex_set.hpp"

namespace rgu {

// The set as a box: Box, or LpBall with p = infinity.
std::optional<Bounds> as_box(const ConvexSet& set);

// The vertices as rows, of the sets that best_vertex knows, if there are at most `most`.
std::optional<Matrix> few_vertices(const ConvexSet& set, Index most);

// The first vertex with the largest value: ProbabilitySimplex, CappedOrthant, LpBall with p = 1,
// and boxes of dimension <= 16. Empty for other sets.
std::optional<Vector> best_vertex(const ConvexSet& set,
                                  const std::function<double(const Vector&)>& value);

}  // namespace rgu
