#include "rgu/gradient/occupancy_oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "laws/problems.hpp"
#include "laws/throws.hpp"

namespace rgu {
namespace {

constexpr Index kStates = 4, kActions = 3;

class OccupancyOracleLaws : public testing::TestWithParam<NamedUtility> {};

// lambda need not keep any flow equation: f is a function of every nonnegative matrix.
SaddlePoint positive_point(const Utility& utility, Rng& rng) {
  const auto positive = [&](Index size) -> Vector {
    return Vector::NullaryExpr(size, [&] { return 0.1 + rng.exponential(); });
  };
  Vector lambda = positive(kStates * kActions);
  return {lambda / lambda.sum(), positive(utility.nature_dimension())};
}

// (f(x + h e_i) - f(x - h e_i)) / 2h for each entry of the vector that `part` names, where f is the
// utility itself at the matrix whose entry (s, a) is lambda(s * A + a).
Vector central_differences(const Utility& utility, const SaddlePoint& at,
                           Vector SaddlePoint::*part) {
  constexpr double kStep = 1e-5;
  const auto value = [&](const SaddlePoint& z) {
    Matrix lambda(kStates, kActions);
    for (Index s = 0; s < kStates; ++s) {
      for (Index a = 0; a < kActions; ++a) lambda(s, a) = z.policy(s * kActions + a);
    }
    return utility.evaluate(lambda, z.nature).value;
  };
  Vector slope((at.*part).size());
  for (Index i = 0; i < slope.size(); ++i) {
    SaddlePoint above = at;
    SaddlePoint below = at;
    (above.*part)(i) += kStep;
    (below.*part)(i) -= kStep;
    slope(i) = (value(above) - value(below)) / (2 * kStep);
  }
  return slope;
}

TEST_P(OccupancyOracleLaws, BothGradientsAreTheDerivatives) {
  const Utility& utility = *GetParam().utility;
  const OccupancyOracle oracle(utility);
  Rng rng(51);
  for (int k = 0; k < 3; ++k) {
    const SaddlePoint at = positive_point(utility, rng);
    const Rng::State before = rng.state();
    const SaddleGradient g = oracle.estimate(at, rng);
    EXPECT_EQ(rng.state(), before);  // nothing is drawn
    EXPECT_EQ(g.samples, 0);
    EXPECT_EQ(g.value, utility.evaluate(as_matrix(at.policy, kStates, kActions), at.nature).value);
    const Vector policy = central_differences(utility, at, &SaddlePoint::policy);
    EXPECT_LE((g.policy - policy).norm(), 1e-6 * std::max(1.0, policy.norm()));
    const Vector nature = central_differences(utility, at, &SaddlePoint::nature);
    EXPECT_LE((g.nature - nature).norm(), 1e-6 * std::max(1.0, nature.norm()));
  }
}

INSTANTIATE_TEST_SUITE_P(Utilities, OccupancyOracleLaws,
                         testing::ValuesIn(every_utility(kStates, kActions, 52)),
                         [](const auto& each) { return each.param.name; });

// f = -<xi, lambda>: 1 - 2 + 3 - 8 with the entries in the order of the rows.
TEST(OccupancyOracle, OfARewardThatNatureChoosesIsBilinear) {
  const RewardRobust utility({.states = 2, .actions = 2});
  const Vector lambda{{1, 2, 3, 4}};
  const Vector xi{{-1, 1, -1, 2}};
  const SaddleGradient g = OccupancyOracle(utility).gradient({lambda, xi});
  EXPECT_DOUBLE_EQ(g.value, -6);
  EXPECT_EQ(g.policy, -xi);
  EXPECT_EQ(g.nature, -lambda);
}

TEST(OccupancyOracle, RefusesWrongSizes) {
  const RewardRobust utility({.states = 2, .actions = 2});
  const OccupancyOracle oracle(utility);
  expect_invalid([&] { oracle.gradient({Vector::Zero(3), Vector::Zero(4)}); }, "lambda");
  expect_invalid([&] { oracle.gradient({Vector::Zero(4), Vector::Zero(3)}); }, "xi has 3 entries");
}

}  // namespace
}  // namespace rgu
