// Sets that are polyhedra, as systems of linear inequalities.
#pragma once

#include <optional>
#include <vector>

#include "rgu/base/convex_set.hpp"

namespace rgu {

// {x in R^n : rows (x, e) <= offsets for some e in R^extra}.
struct LinearForm {
  Matrix rows;  // (m, n + extra)
  Vector offsets;
  Index extra = 0;
};

// Box, Polytope, ProbabilitySimplex, CappedOrthant, Singleton, LpBall with p = 1 or infinity or of
// one dimension or no radius, and products and intersections of such. Only an l_1 ball needs
// further variables, as many as it has dimensions.
std::optional<LinearForm> linear_form(const ConvexSet& set);

// The same without further variables: an l_1 ball has 2^n rows then, and counts only while n <= 5.
std::optional<LinearForm> halfspace_form(const ConvexSet& set);

// The common points of polyhedra in R^n: their rows one below the other, each with further
// variables of its own.
LinearForm stacked(const std::vector<LinearForm>& forms, Index dimension);

}  // namespace rgu
