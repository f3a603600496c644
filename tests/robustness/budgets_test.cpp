#include "rgu/robustness/budgets.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/intersection_set.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/base/rng.hpp"

namespace rgu {
namespace {

// |x|_1 <= 1 and |x_i| <= 1/2: the two largest of |direction| take all, with its signs.
TEST(Budget, SpendsOnTheLargestFirst) {
  const Budget budget{.centre = Vector::Zero(4),
                      .total = 1,
                      .limits = {Vector::Constant(4, -0.5), Vector::Constant(4, 0.5)}};
  EXPECT_EQ(support_point(budget, Vector{{1, -3, 2, 0.5}}), (Vector{{0, -0.5, 0.5, 0}}));
  EXPECT_LE(support_point(budget, Vector::Zero(4)).lpNorm<1>(), 1);
}

TEST(Budget, IsKnownWithinAnIntersection) {
  const auto ball =
      std::make_shared<LpBall>(LpBallShape{.centre = Vector{{1, 2}}, .radius = 0.5, .p = 1});
  const auto around = std::make_shared<Box>(Bounds{Vector{{0.9, 0}}, Vector{{3, 3}}});
  const auto beside = std::make_shared<Box>(Bounds{Vector{{1.1, 0}}, Vector{{3, 3}}});
  const auto found = as_budget(IntersectionSet({ball, around}));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->centre, ball->centre());
  EXPECT_EQ(found->limits.lower(0), 0.9);
  EXPECT_FALSE(as_budget(IntersectionSet({ball, beside})));  // the centre is outside
  EXPECT_FALSE(as_budget(IntersectionSet({around, beside})));
  EXPECT_FALSE(as_budget(*ball));
}

TEST(Budget, HasTheSupportPointOfTheIntersection) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Rng rng(seed);
    const auto n = static_cast<Index>(1 + rng.below(9));
    const double scale = std::pow(10.0, rng.uniform(-6, 6));
    const auto drawn = [&] {
      return Vector(scale * Vector::NullaryExpr(n, [&](Index) { return rng.uniform(); }));
    };
    const Vector centre = drawn();
    const auto ball = std::make_shared<LpBall>(
        LpBallShape{.centre = centre, .radius = scale * rng.uniform(0.01, 3), .p = 1});
    const auto box = std::make_shared<Box>(Bounds{centre - drawn(), centre + drawn()});
    const IntersectionSet set({ball, box});
    const auto budget = as_budget(set);
    ASSERT_TRUE(budget.has_value());
    const Vector direction = Vector::NullaryExpr(n, [&](Index) { return rng.normal(); });
    const Vector point = support_point(*budget, direction);
    EXPECT_LE(distance(*ball, point), 1e-14 * scale * static_cast<double>(n)) << seed;
    EXPECT_LE(distance(*box, point), 1e-14 * scale) << seed;
    const CertifiedSupport best = set.certified_support(direction);
    EXPECT_GE(direction.dot(point - best.point), -1e-10 * scale) << seed;
    EXPECT_LE(direction.dot(point - best.point), best.gap + 1e-10 * scale) << seed;
  }
}

}  // namespace
}  // namespace rgu
