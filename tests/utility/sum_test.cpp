#include "rgu/utility/sum.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "rgu/base/check.hpp"
#include "rgu/utility/drift.hpp"
#include "rgu/utility/entropy.hpp"
#include "rgu/utility/regularized.hpp"
#include "rgu/utility/reward.hpp"
#include "rgu/utility/reward_robust.hpp"
#include "rgu/utility/target.hpp"

namespace rgu {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
using Part = std::shared_ptr<const Utility>;

const OccupancyShape kShape{.states = 2, .actions = 1};
const Part kNone = std::make_shared<Entropy>(EntropyOptions{.shape = kShape, .delta = 0.1});
const Part kLinear = std::make_shared<RewardRobust>(kShape);
const Part kConvex = std::make_shared<QuadraticTarget>(kShape);
const Part kConcave = std::make_shared<Drift>(
    DriftOptions{.actions = 1, .features = Matrix::Identity(2, 2), .dimension = 1});

Part strong(double modulus) {
  return std::make_shared<NatureRegularized>(
      kLinear, NatureRegularization{.modulus = modulus, .centre = Vector::Zero(2)});
}

UtilityTraits traits_of(std::vector<WeightedUtility> parts) {
  return Sum(std::move(parts)).traits();
}

// lambda = (.25, .75). Part 1: -<(1, 2), lambda> = -1.75. Part 2, twice the quadratic at xi = (0,
// 1): 2 * (1/2)(.0625 + .0625) = .125. xi is (1, 2) and then (0, 1).
TEST(Sum, AddsItsPartsAndConcatenatesTheirXi) {
  const Sum utility({{1, kLinear}, {2, kConvex}});
  const UtilityGradient gradient = utility.evaluate(Matrix{{0.25}, {0.75}}, Vector{{1, 2, 0, 1}});
  EXPECT_DOUBLE_EQ(gradient.value, -1.75 + 0.125);
  EXPECT_TRUE(gradient.occupancy.isApprox(Matrix{{-1 + 0.5}, {-2 - 0.5}}));
  EXPECT_TRUE(gradient.nature.isApprox(Vector{{-0.25, -0.75, -0.5, 0.5}}));
}

TEST(Sum, IsAsWeakInXiAsItsWeakestPart) {
  EXPECT_EQ(traits_of({{1, kNone}, {1, kNone}}).nature, NatureShape::kNone);
  EXPECT_EQ(traits_of({{1, kLinear}, {1, kNone}}).nature, NatureShape::kLinear);
  EXPECT_EQ(traits_of({{1, kLinear}, {1, kLinear}}).nature, NatureShape::kLinear);
  EXPECT_EQ(traits_of({{1, kLinear}, {1, kConcave}}).nature, NatureShape::kConcave);
  EXPECT_EQ(traits_of({{1, strong(1)}, {1, kLinear}}).nature, NatureShape::kConcave);
  EXPECT_EQ(traits_of({{1, strong(1)}, {1, kConcave}}).nature, NatureShape::kConcave);
  EXPECT_EQ(traits_of({{1, strong(1)}, {1, kConvex}}).nature, NatureShape::kNonconcave);
  EXPECT_EQ(traits_of({{1, kNone}, {1, kConvex}}).nature, NatureShape::kNonconcave);
}

TEST(Sum, IsStronglyConcaveOnlyIfEveryPartWithXiIs) {
  const UtilityTraits traits = traits_of({{2, strong(1)}, {0.5, strong(3)}, {9, kNone}});
  EXPECT_EQ(traits.nature, NatureShape::kStronglyConcave);
  EXPECT_DOUBLE_EQ(traits.strong_concavity, 1.5);  // min(2 * 1, 0.5 * 3)
  EXPECT_EQ(traits_of({{1, strong(1)}, {1, kLinear}}).strong_concavity, 0);
}

TEST(Sum, APartOfWeightZeroIsLinearInItsXi) {
  EXPECT_EQ(traits_of({{0, kConvex}, {1, kLinear}}).nature, NatureShape::kLinear);
  EXPECT_EQ(traits_of({{0, strong(1)}, {1, strong(1)}}).nature, NatureShape::kConcave);
  // Plain lmin has infinite constants; with weight 0 they do not count.
  const Part plain = std::make_shared<Drift>(
      DriftOptions{.actions = 1, .features = Matrix::Identity(2, 2), .dimension = 2});
  EXPECT_EQ(Sum({{0, plain}, {1, kLinear}}).constants(1).nature_lipschitz, 0);
  EXPECT_EQ(Sum({{1, plain}, {1, kLinear}}).constants(1).nature_lipschitz, UtilityConstants::kNone);
}

// Of RewardRobust at |xi| <= 2: (2, 0, 1, 0, 1); of the quadratic: (3, 1, 3, 1, 1).
TEST(Sum, CombinesTheConstantsOfItsParts) {
  const UtilityConstants constants = Sum({{3, kLinear}, {2, kConvex}}).constants(2);
  EXPECT_DOUBLE_EQ(constants.occupancy_gradient, 3 * 2 + 2 * 3);
  EXPECT_DOUBLE_EQ(constants.occupancy_lipschitz, 2);
  EXPECT_DOUBLE_EQ(constants.nature_gradient, std::hypot(3 * 1, 2 * 3));
  EXPECT_DOUBLE_EQ(constants.nature_lipschitz, 2);
  EXPECT_DOUBLE_EQ(constants.cross_lipschitz, std::hypot(3, 2));
}

TEST(Sum, RejectsBadParts) {
  EXPECT_THAT(
      [] { Sum utility({}); },
      ThrowsMessage<InvalidInput>(HasSubstr("number of parts of a sum is 0, must be at least 1")));
  EXPECT_THAT(
      [] {
        Sum utility({{1, kLinear}, {1, nullptr}});
      },
      ThrowsMessage<InvalidInput>(HasSubstr("part 1 of a sum is empty")));
  EXPECT_THAT(
      [] {
        Sum utility({{1, kLinear}, {-0.5, kNone}});
      },
      ThrowsMessage<InvalidInput>(
          HasSubstr("weight of part 1 of a sum is -0.5, must be finite and >= 0")));
  EXPECT_THAT(
      [] {
        Sum utility({{std::nan(""), kLinear}});
      },
      ThrowsMessage<InvalidInput>(HasSubstr("weight of part 0 of a sum is nan")));
  const Part wider = std::make_shared<LinearReward>(Matrix::Zero(2, 3));
  EXPECT_THAT(
      [&] {
        Sum utility({{1, kLinear}, {1, wider}});
      },
      ThrowsMessage<InvalidInput>(
          HasSubstr("part 1 of a sum has 2 states and 3 actions, must have 2 and 1 as part 0")));
}

}  // namespace
}  // namespace rgu
