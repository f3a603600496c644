// Which sets are Euclidean balls.
#pragma once

#include <optional>

#include "rgu/base/convex_set.hpp"

namespace rgu {

// {x : |x - centre| <= radius}.
struct EuclideanBall {
  Vector centre;
  double radius = 0;
};

// The set as a Euclidean ball: LpBall with p = 2, or FrobeniusBall.
std::optional<EuclideanBall> as_euclidean_ball(const ConvexSet& set);

}  // namespace rgu
