#include "rgu/utility/variance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "rgu/base/check.hpp"

namespace rgu {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// One feature phi = (0, 1, 3) over three actions, xi = 2: r = (0, 2, 6). With
// lambda = (1/2, 1/4, 1/4): mean 2, second moment 1 + 9 = 10, variance 6. With kappa = 1/2
// f = -2 + 3 = 1. In lambda: -r + (1/2)(r^2 - 4 r) = (0, -4, 0). In xi, where f = -xi + (3/4) xi^2
// (mean of phi 1, variance 3/2): -1 + 1.5 * 2 = 2.
TEST(Variance, MatchesTheHandSolvedCase) {
  const Variance utility({.features = {Matrix{{0, 1, 3}}}, .aversion = 0.5});
  const UtilityGradient gradient = utility.evaluate(Matrix{{0.5, 0.25, 0.25}}, Vector{{2}});
  EXPECT_DOUBLE_EQ(gradient.value, 1);
  EXPECT_TRUE(gradient.occupancy.isApprox(Matrix{{0, -4, 0}}));
  EXPECT_DOUBLE_EQ(gradient.nature(0), 2);
}

// Between the vertices with rewards 0 and 2 (kappa = 1) the variance at the middle is 1 and f is
// -1 + 1 = 0, above the chord -(0 + 2)/2 = -1: not convex.
TEST(Variance, IsNotConvexInTheOccupancy) {
  const Variance utility({.features = {Matrix{{0, 2}}}, .aversion = 1});
  const Vector xi{{1}};
  const double middle = utility.evaluate(Matrix{{0.5, 0.5}}, xi).value;
  const double ends = utility.evaluate(Matrix{{1, 0}}, xi).value / 2 +
                      utility.evaluate(Matrix{{0, 1}}, xi).value / 2;
  EXPECT_DOUBLE_EQ(middle, 0);
  EXPECT_DOUBLE_EQ(ends, -1);
  EXPECT_FALSE(utility.traits().convex_in_occupancy);
  EXPECT_EQ(utility.traits().nature, NatureShape::kNonconcave);
}

TEST(Variance, WithoutAversionIsTheLinearReward) {
  const Variance utility({.features = {Matrix{{0, 2}}, Matrix{{1, 1}}}});
  EXPECT_TRUE(utility.traits().convex_in_occupancy);
  EXPECT_EQ(utility.traits().nature, NatureShape::kLinear);
  EXPECT_DOUBLE_EQ(utility.evaluate(Matrix{{0.25, 0.75}}, Vector{{1, 2}}).value, -3.5);
}

TEST(Variance, RejectsBadOptions) {
  EXPECT_THAT([] { Variance utility({.features = {}, .aversion = 1}); },
              ThrowsMessage<InvalidInput>(HasSubstr("number of feature matrices is 0")));
  EXPECT_THAT(
      [] {
        Variance utility({.features = {Matrix::Zero(1, 2), Matrix::Zero(2, 1)}});
      },
      ThrowsMessage<InvalidInput>(HasSubstr("feature 1 is 2 x 1, must be 1 x 2")));
  EXPECT_THAT([] { Variance utility({.features = {Matrix::Constant(1, 2, std::nan(""))}}); },
              ThrowsMessage<InvalidInput>(HasSubstr("feature 0[0, 0] is nan")));
  EXPECT_THAT(
      [] { Variance utility({.features = {Matrix::Zero(1, 2)}, .aversion = -0.5}); },
      ThrowsMessage<InvalidInput>(HasSubstr("risk aversion is -0.5, must be finite and >= 0")));
}

}  // namespace
}  // namespace rgu
