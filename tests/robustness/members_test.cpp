#include "rgu/robustness/members.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/ellipsoid.hpp"
#include "rgu/ambiguity/intersection_set.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/matrix_ball.hpp"
#include "rgu/ambiguity/product_set.hpp"
#include "rgu/ambiguity/simplex.hpp"
#include "rgu/ambiguity/singleton.hpp"

namespace rgu {
namespace {

using SetPointer = std::shared_ptr<const ConvexSet>;

std::vector<SetPointer> sets() {
  const auto ball = std::make_shared<LpBall>(LpBallShape{Vector{{1, -2, 3}}, 0.5, 1.5});
  const auto box = std::make_shared<Box>(uniform_box(3, {.lower = 0.1, .upper = 0.6}));
  const auto simplex = std::make_shared<ProbabilitySimplex>(3);
  return {ball,
          box,
          simplex,
          std::make_shared<CappedOrthant>(4, 2.0),
          std::make_shared<FrobeniusBall>(Matrix::Identity(2, 3), 0.7),
          std::make_shared<SpectralBall>(Matrix::Identity(2, 3), 0.7),
          std::make_shared<Ellipsoid>(WeightedBall{Vector{{0, 1}}, Vector{{1, 9}}, 2}),
          std::make_shared<IntersectionSet>(SetParts{simplex, box}),
          std::make_shared<ProductSet>(SetParts{ball, simplex, box})};
}

TEST(RandomMember, IsAMemberOfEverySet) {
  Rng rng(1);
  for (const SetPointer& set : sets()) {
    for (int k = 0; k < 300; ++k) EXPECT_TRUE(contains(*set, random_member(*set, rng)));
  }
}

// Inside: a small step in any direction stays in the set. On the boundary: some step leaves it.
TEST(RandomMember, ReachesTheInsideAndTheBoundary) {
  Rng rng(2);
  const LpBall ball({.centre = Vector{{1, -2, 3}}, .radius = 0.5, .p = 2});
  int inside = 0, outside = 0;
  for (int k = 0; k < 1000; ++k) {
    const double length = (random_member(ball, rng) - ball.centre()).norm();
    if (length < 0.45) ++inside;
    if (length > 0.5 - 1e-9) ++outside;
  }
  EXPECT_GT(inside, 200);
  EXPECT_GT(outside, 200);
}

TEST(RandomMember, OfABoxReachesEveryCornerAndBothHalvesOfEveryInterval) {
  Rng rng(3);
  const Box box = uniform_box(2, {.lower = -1, .upper = 1});
  int corners[4] = {0, 0, 0, 0};
  int inside = 0;
  for (int k = 0; k < 1000; ++k) {
    const Vector x = random_member(box, rng);
    if (x.cwiseAbs().minCoeff() == 1) ++corners[(x(0) > 0 ? 2 : 0) + (x(1) > 0 ? 1 : 0)];
    if (x.cwiseAbs().maxCoeff() < 0.9) ++inside;
  }
  for (const int count : corners) EXPECT_GT(count, 30);
  EXPECT_GT(inside, 200);
}

TEST(RandomMember, OfOnePointIsThatPoint) {
  Rng rng(4);
  EXPECT_EQ(random_member(Singleton(Vector{{3, 4}}), rng), (Vector{{3, 4}}));
  EXPECT_EQ(random_member(Singleton(Vector(0)), rng).size(), 0);
}

TEST(RandomMember, DependsOnTheGeneratorAlone) {
  const Box box = uniform_box(5, {.lower = -1, .upper = 1});
  Rng one(5), two(5);
  const Vector first = random_member(box, one);
  EXPECT_EQ(first, random_member(box, two));
  EXPECT_NE(first, random_member(box, one));
}

}  // namespace
}  // namespace rgu
