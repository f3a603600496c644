#include <gtest/gtest.h>

#include <memory>

#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/matrix_ball.hpp"
#include "rgu/ambiguity/product_set.hpp"
#include "rgu/ambiguity/simplex.hpp"
#include "rgu/ambiguity/singleton.hpp"
#include "rgu/robustness/worst_case.hpp"
#include "rgu/utility/drift.hpp"
#include "rgu/utility/reward.hpp"
#include "rgu/utility/reward_robust.hpp"
#include "rgu/utility/sum.hpp"
#include "rgu/utility/target.hpp"

namespace rgu {
namespace {

constexpr OccupancyShape kPair{.states = 2, .actions = 1};
const Matrix kOccupancy{{0.25}, {0.75}};

std::shared_ptr<const ConvexSet> unit_box() {
  return std::make_shared<Box>(uniform_box(2, {.lower = 0, .upper = 1}));
}
std::shared_ptr<const ConvexSet> nothing() { return std::make_shared<Singleton>(Vector(0)); }

// Farthest from (1/4, 3/4) in the unit box: (1, 0), half the squared distance 9/16. Times 2, less
// the reward 8, plus the worst of -<xi, lambda> in the box, 0 at the origin.
TEST(SumWorstCase, AddsTheWeightedWorstCasesOfItsParts) {
  const Sum sum({{2, std::make_shared<QuadraticTarget>(kPair)},
                 {1, std::make_shared<LinearReward>(Matrix{{8}, {8}})},
                 {3, std::make_shared<RewardRobust>(kPair)}});
  const ProductSet product({unit_box(), nothing(), unit_box()});
  const WorstCase worst = worst_case(sum, product, kOccupancy);
  EXPECT_DOUBLE_EQ(worst.value, 2 * 0.5625 - 8);
  EXPECT_EQ(worst.nature, (Vector{{1, 0, 0, 0}}));
  EXPECT_EQ(worst.kind, AnswerKind::kExact);
  EXPECT_EQ(worst.gap, 0);
  // Sets of dimension 0 may also be left out.
  const ProductSet shorter({unit_box(), unit_box()});
  EXPECT_EQ(worst_case(sum, shorter, kOccupancy).nature, worst.nature);
}

TEST(SumWorstCase, TakesTheWholeSetWhereOnlyOnePartHasANature) {
  const Sum sum({{1, std::make_shared<LinearReward>(Matrix{{1}, {1}})},
                 {2, std::make_shared<QuadraticTarget>(kPair)}});
  const WorstCase worst = worst_case(sum, *unit_box(), kOccupancy);
  EXPECT_DOUBLE_EQ(worst.value, 2 * 0.5625 - 1);
  EXPECT_EQ(worst.kind, AnswerKind::kExact);
}

TEST(SumWorstCase, LeavesPartsOfWeightZeroAlone) {
  const Sum sum({{0, std::make_shared<KlTarget>(KlTargetOptions{.shape = kPair})},
                 {1, std::make_shared<QuadraticTarget>(kPair)}});
  const auto ball = std::make_shared<LpBall>(LpBallShape{Vector{{0.5, 0.5}}, 0.1, 3});
  const WorstCase worst = worst_case(sum, ProductSet({ball, unit_box()}), kOccupancy);
  EXPECT_DOUBLE_EQ(worst.value, 0.5625);
  EXPECT_EQ(worst.kind, AnswerKind::kExact);
}

// The same dimensions in the other order are not the sets of these parts.
TEST(SumWorstCase, IsOnlySearchedForWhereThePartsDoNotLineUp) {
  const Sum sum({{1, std::make_shared<QuadraticTarget>(kPair)},
                 {1, std::make_shared<QuadraticTarget>(kPair)}});
  const auto interval = std::make_shared<Box>(uniform_box(1, {.lower = 0, .upper = 1}));
  const auto wide = std::make_shared<Box>(uniform_box(3, {.lower = 0, .upper = 1}));
  const WorstCase worst = worst_case(sum, ProductSet({interval, wide}), kOccupancy);
  EXPECT_EQ(worst.kind, AnswerKind::kBestFound);
  EXPECT_NEAR(worst.value, 2 * 0.5625, 1e-12);
}

TEST(SumWorstCase, HandsEachPartItsPieceOfTheHint) {
  const Sum sum({{1, std::make_shared<QuadraticTarget>(kPair)},
                 {1, std::make_shared<QuadraticTarget>(kPair)}});
  const auto ball = std::make_shared<LpBall>(LpBallShape{flatten(kOccupancy), 1, 3});
  const ProductSet product({ball, ball});
  // From the centre, where the gradient is 0, only a hint leads away.
  const Vector hint{{0.35, 0.75, 0.25, 0.65}};
  const WorstCase worst = worst_case(sum, product, kOccupancy, {.starts = 1, .hint = hint});
  EXPECT_GT(worst.value, 0.9);
}

TEST(AmbiguityWarnings, SayWhichPartOfASumIsDegenerate) {
  const auto drift = std::make_shared<Drift>(
      DriftOptions{.actions = 1, .features = Matrix::Identity(2, 2), .dimension = 1});
  const Sum sum({{1, std::make_shared<RewardRobust>(kPair)}, {1, drift}});
  const auto map = std::make_shared<FrobeniusBall>(Matrix{{1, 0}}, 2);
  const auto warnings = ambiguity_warnings(sum, ProductSet({unit_box(), map}));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(warnings[0].starts_with("part 1 of the sum: the worst case is 0 for every policy"));
}

}  // namespace
}  // namespace rgu
