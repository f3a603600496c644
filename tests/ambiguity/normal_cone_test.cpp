#include "rgu/ambiguity/normal_cone.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ambiguity/helpers.hpp"

namespace rgu {
namespace {

TEST(NormalCone, DistanceFromARayIsAsByHand) {
  EXPECT_NEAR(distance_from_ray(vec({3, 4}), vec({1e-200, 0})), 4, 1e-15);
  EXPECT_NEAR(distance_from_ray(vec({-3, 4}), vec({1, 0})), 5, 1e-15);
  EXPECT_NEAR(distance_from_ray(vec({3, 4}), vec({0, 0})), 5, 1e-15);
}

double distance_at(const Vector& g, const Bounds& bounds, double t) {
  double sum = 0;
  for (Index i = 0; i < g.size(); ++i) {
    const double low = std::isinf(bounds.lower(i)) ? bounds.lower(i) : t * bounds.lower(i);
    const double nearest = std::min(std::max(g(i), low), t * bounds.upper(i));
    sum += (g(i) - nearest) * (g(i) - nearest);
  }
  return std::sqrt(sum);
}

// Convex in t: golden section finds its minimum without knowing the breakpoints.
double distance_by_search(const Vector& g, const Bounds& bounds) {
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  double low = 0;
  double high = 1e3;
  for (int k = 0; k < 120; ++k) {
    const double first = high - ratio * (high - low);
    const double second = low + ratio * (high - low);
    (distance_at(g, bounds, first) < distance_at(g, bounds, second) ? high : low) =
        distance_at(g, bounds, first) < distance_at(g, bounds, second) ? second : first;
  }
  return std::min(distance_at(g, bounds, 0), distance_at(g, bounds, low));
}

TEST(NormalCone, DistanceFromAnIntervalRayIsTheMinimumOverT) {
  Rng rng(8);
  for (int k = 0; k < 500; ++k) {
    const Index n = 1 + static_cast<Index>(rng.below(6));
    const Vector g = 3 * normal_vector(n, rng);
    Bounds bounds{.lower = normal_vector(n, rng), .upper = normal_vector(n, rng)};
    for (Index i = 0; i < n; ++i) {
      if (bounds.lower(i) > bounds.upper(i)) std::swap(bounds.lower(i), bounds.upper(i));
      if (rng.below(4) == 0) bounds.lower(i) = bounds.upper(i);
      if (rng.below(4) == 0) bounds.lower(i) = -kInfinity;
    }
    EXPECT_NEAR(distance_from_interval_ray(g, bounds), distance_by_search(g, bounds), 1e-7);
    EXPECT_LE(distance_from_interval_ray(g, bounds), distance_by_search(g, bounds) + 1e-13);
  }
}

TEST(NormalCone, ZeroWhereTheDirectionIsInTheCone) {
  EXPECT_NEAR(distance_from_interval_ray(
                  vec({2, -7, 1}), {.lower = vec({1, -kInfinity, -1}), .upper = vec({1, 1, 1})}),
              0, 1e-15);
  EXPECT_EQ(
      distance_from_interval_ray(Vector::Zero(2), {.lower = vec({1, -1}), .upper = vec({1, 1})}),
      0);
}

TEST(NormalCone, BoxNormalsPointOutOfActiveFaces) {
  const Bounds box{.lower = vec({0, 0, 5}), .upper = vec({1, 1, 5})};
  const Vector corner = vec({0, 1, 5});
  EXPECT_EQ(distance_from_box_normals(vec({-1, 1, 9}), box, corner), 0);
  EXPECT_EQ(distance_from_box_normals(vec({3, -4, 9}), box, corner), 5);
  EXPECT_EQ(distance_from_box_normals(vec({3, 4, -9}), box, vec({0.5, 0.5, 5})), 5);
}

}  // namespace
}  // namespace rgu
