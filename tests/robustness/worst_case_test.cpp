#include "rgu/robustness/worst_case.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "laws/throws.hpp"
#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/simplex.hpp"
#include "rgu/ambiguity/singleton.hpp"
#include "rgu/utility/regularized.hpp"
#include "rgu/utility/reward.hpp"
#include "rgu/utility/reward_robust.hpp"
#include "rgu/utility/target.hpp"
#include "rgu/utility/variance.hpp"

namespace rgu {
namespace {

constexpr OccupancyShape kPair{.states = 2, .actions = 1};
const Matrix kOccupancy{{0.25}, {0.75}};

TEST(WorstCase, WithoutNatureIsTheValue) {
  const WorstCase worst =
      worst_case(LinearReward(Matrix{{4}, {8}}), Singleton(Vector(0)), kOccupancy);
  EXPECT_DOUBLE_EQ(worst.value, -7);
  EXPECT_EQ(worst.nature.size(), 0);
  EXPECT_EQ(worst.kind, AnswerKind::kExact);
  EXPECT_EQ(worst.gap, 0);
}

// -<xi, lambda> on the max-norm ball of radius 1 around (2, 3): both rewards fall by 1.
TEST(WorstCase, OfALinearUtilityIsTheSupportPoint) {
  const LpBall ball({.centre = Vector{{2, 3}}, .radius = 1, .p = UtilityConstants::kNone});
  const WorstCase worst = worst_case(RewardRobust(kPair), ball, kOccupancy);
  EXPECT_DOUBLE_EQ(worst.value, -(0.25 * 1 + 0.75 * 2));
  EXPECT_TRUE(worst.nature.isApprox(Vector{{1, 2}}));
  EXPECT_EQ(worst.kind, AnswerKind::kExact);
}

// -<xi, lambda> - |xi|^2/2 is largest at xi = -lambda: |lambda|^2/2 = (1/16 + 9/16)/2.
TEST(WorstCase, OfARegularizedLinearUtilityIsAProjection) {
  const NatureRegularized utility(std::make_shared<RewardRobust>(kPair), {1, Vector::Zero(2)});
  const LpBall ball({.centre = Vector::Zero(2), .radius = 5, .p = 2});
  const WorstCase worst = worst_case(utility, ball, kOccupancy);
  EXPECT_NEAR(worst.value, 0.3125, 1e-15);
  EXPECT_TRUE(worst.nature.isApprox(Vector{{-0.25, -0.75}}));
  EXPECT_EQ(worst.kind, AnswerKind::kExact);
}

// The farthest point of the ball of radius 1 around lambda + (3, 4) is at distance 5 + 1.
TEST(WorstCase, OfTheQuadraticTargetIsTheFarthestPointOfABall) {
  const LpBall ball({.centre = Vector{{3.25, 4.75}}, .radius = 1, .p = 2});
  const WorstCase worst = worst_case(QuadraticTarget(kPair), ball, kOccupancy);
  EXPECT_NEAR(worst.value, 18, 1e-12);
  EXPECT_TRUE(worst.nature.isApprox(Vector{{3.85, 5.55}}));
  EXPECT_EQ(worst.kind, AnswerKind::kExact);
}

TEST(WorstCase, OfTheQuadraticTargetFromTheCentreOfTheBallIsAnyPointOfItsSphere) {
  const LpBall ball({.centre = flatten(kOccupancy), .radius = 2, .p = 2});
  const WorstCase worst = worst_case(QuadraticTarget(kPair), ball, kOccupancy);
  EXPECT_NEAR(worst.value, 2, 1e-15);
  EXPECT_EQ(worst.kind, AnswerKind::kExact);
}

// On [0, 1]^2 the farther ends from (1/4, 3/4) are 1 and 0; on the simplex the farther vertex is
// (1, 0); on the capped orthant of total 1/4 it is (1/4, 0) rather than the origin or (0, 1/4):
// distances 9/16 against 10/16 and 1/16 + 4/16, so the origin.
TEST(WorstCase, OfTheQuadraticTargetIsTheFarthestCorner) {
  const QuadraticTarget utility(kPair);
  const WorstCase in_box =
      worst_case(utility, uniform_box(2, {.lower = 0, .upper = 1}), kOccupancy);
  EXPECT_EQ(in_box.nature, (Vector{{1, 0}}));
  EXPECT_DOUBLE_EQ(in_box.value, 0.5625);
  EXPECT_EQ(worst_case(utility, ProbabilitySimplex(2), kOccupancy).nature, (Vector{{1, 0}}));
  const WorstCase in_orthant = worst_case(utility, CappedOrthant(2, 0.25), kOccupancy);
  EXPECT_EQ(in_orthant.nature, (Vector{{0, 0}}));
  EXPECT_DOUBLE_EQ(in_orthant.value, 0.3125);
}

// The divergence falls in every xi_i: the lower ends. On the simplex the vertex (1, 0) leaves the
// larger mass without a target: 0.25 log(.26/1.01) + 0.75 log(.76/.01).
TEST(WorstCase, OfTheDivergenceIsAtTheLowerEnds) {
  const KlTarget utility({.shape = kPair, .over = Marginal::kStates, .delta = 0.01});
  const Box box({.lower = Vector{{0.1, 0.3}}, .upper = Vector{{0.2, 0.9}}});
  EXPECT_EQ(worst_case(utility, box, kOccupancy).nature, box.lower());
  const WorstCase vertex = worst_case(utility, ProbabilitySimplex(2), kOccupancy);
  EXPECT_NEAR(vertex.value, 0.25 * std::log(0.26 / 1.01) + 0.75 * std::log(76.0), 1e-12);
  EXPECT_EQ(vertex.kind, AnswerKind::kExact);
}

// One feature phi = (0, 4), kappa = 1/2: mean 3, variance 16 * 3/16 = 3, so f = -3 xi + 1.5 xi^2.
// On [-1, 1.5] the ends give 4.5 and -1.125.
TEST(WorstCase, OfTheVarianceIsTheBetterEndOfAnInterval) {
  const Variance utility({.features = {Matrix{{0}, {4}}}, .aversion = 0.5});
  const LpBall interval({.centre = Vector{{0.25}}, .radius = 1.25, .p = 2});
  const WorstCase by_ball = worst_case(utility, interval, kOccupancy);
  EXPECT_NEAR(by_ball.value, 4.5, 1e-12);
  EXPECT_NEAR(by_ball.nature(0), -1, 1e-12);
  const Box box({.lower = Vector{{-1}}, .upper = Vector{{1.5}}});
  EXPECT_DOUBLE_EQ(worst_case(utility, box, kOccupancy).value, 4.5);
}

TEST(WorstCase, RejectsWhatDoesNotFit) {
  const RewardRobust utility(kPair);
  const Box box = uniform_box(2, {.lower = 0, .upper = 1});
  const auto with = [&](WorstCaseOptions options) {
    return [&utility, &box, options] { worst_case(utility, box, kOccupancy, options); };
  };
  expect_invalid([&] { worst_case(utility, ProbabilitySimplex(3), kOccupancy); },
                 "ambiguity set has dimension 3, must have that of xi, which is 2");
  expect_invalid([&] { worst_case(utility, box, Matrix{{1, 2}}); }, "occupancy is 1 x 2");
  expect_invalid(
      [&] {
        worst_case(utility, box, Matrix{{std::nan("")}, {1}});
      },
      "occupancy[0, 0] is nan");
  expect_invalid(
      [&] {
        worst_case(utility, box, Matrix{{1}, {-0.5}});
      },
      "occupancy[1, 0] is -0.5, must be >= 0 within 1e-9");
  expect_invalid(with({.tolerance = 0}), "tolerance of the worst case is 0");
  expect_invalid(with({.iterations = 0}), "iterations of the worst case is 0");
  expect_invalid(with({.starts = 0}), "starts of the worst case is 0");
  expect_invalid(with({.hint = Vector(3)}), "hint of the worst case has 3 entries, must have 2");
  expect_invalid(with({.hint = Vector{{std::nan(""), 0}}}), "hint of the worst case[0] is nan");
  expect_invalid([&] { ambiguity_warnings(utility, ProbabilitySimplex(3)); },
                 "ambiguity set has dimension 3, must have that of xi, which is 2");
}

TEST(WorstCase, RejectsTargetsAtWhichTheDivergenceIsNotDefined) {
  const KlTarget utility({.shape = kPair, .over = Marginal::kStates, .delta = 0.01});
  expect_invalid(
      [&] { worst_case(utility, uniform_box(2, {.lower = -1, .upper = 1}), kOccupancy); }, "-1");
}

}  // namespace
}  // namespace rgu
