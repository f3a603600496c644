#include "rgu/utility/reward.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "rgu/base/check.hpp"
#include "rgu/utility/reward_robust.hpp"

namespace rgu {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

const Matrix kOccupancy{{0.1, 0.2}, {0.3, 0.4}};

// <r, lambda> = 1 * 0.1 - 2 * 0.2 + 0 * 0.3 + 5 * 0.4 = 1.7.
TEST(LinearReward, IsTheNegativeExpectedReward) {
  const Matrix reward{{1, -2}, {0, 5}};
  const LinearReward utility(reward);
  const UtilityGradient gradient = utility.evaluate(kOccupancy, Vector());
  EXPECT_DOUBLE_EQ(gradient.value, -1.7);
  EXPECT_EQ(gradient.occupancy, -reward);
  EXPECT_EQ(gradient.nature.size(), 0);
  EXPECT_EQ(utility.traits().nature, NatureShape::kNone);
  EXPECT_DOUBLE_EQ(utility.constants(0).occupancy_gradient, std::sqrt(30.0));
}

TEST(LinearReward, RejectsRewardsThatAreNoNumbers) {
  Matrix reward = Matrix::Zero(2, 2);
  reward(1, 0) = std::nan("");
  EXPECT_THAT([&] { LinearReward utility(reward); },
              ThrowsMessage<InvalidInput>(HasSubstr("reward[1, 0] is nan, must be finite")));
}

TEST(LinearReward, RejectsAnEmptyReward) {
  EXPECT_THAT([] { LinearReward utility(Matrix(0, 2)); },
              ThrowsMessage<InvalidInput>(HasSubstr("number of states is 0, must be at least 1")));
  EXPECT_THAT([] { LinearReward utility(Matrix(2, 0)); },
              ThrowsMessage<InvalidInput>(HasSubstr("number of actions is 0, must be at least 1")));
}

TEST(LinearReward, SaysWhichShapeIsWrong) {
  const LinearReward utility(Matrix::Zero(2, 2));
  EXPECT_THAT([&] { utility.evaluate(Matrix::Zero(3, 2), Vector()); },
              ThrowsMessage<InvalidInput>(HasSubstr("occupancy is 3 x 2, must be 2 x 2")));
  EXPECT_THAT([&] { utility.evaluate(kOccupancy, Vector::Zero(1)); },
              ThrowsMessage<InvalidInput>(HasSubstr("xi has 1 entries, must have 0")));
  EXPECT_THAT([&] { utility.constants(-0.5); },
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr("|xi|"), HasSubstr("-0.5"))));
}

// xi is the reward, row after row: the same numbers as above.
TEST(RewardRobust, IsTheLinearRewardOfItsXi) {
  const RewardRobust utility({.states = 2, .actions = 2});
  const Vector xi{{1, -2, 0, 5}};
  const UtilityGradient gradient = utility.evaluate(kOccupancy, xi);
  EXPECT_DOUBLE_EQ(gradient.value, -1.7);
  EXPECT_EQ(gradient.occupancy, (Matrix{{-1, 2}, {0, -5}}));
  EXPECT_EQ(gradient.nature, (Vector{{-0.1, -0.2, -0.3, -0.4}}));
}

// At xi = (3, 0, 0, 0) and lambda = the first vertex both gradients reach their bounds.
TEST(RewardRobust, ItsConstantsAreAttained) {
  const RewardRobust utility({.states = 2, .actions = 2});
  const UtilityConstants constants = utility.constants(3);
  const UtilityGradient gradient = utility.evaluate(Matrix{{1, 0}, {0, 0}}, Vector{{3, 0, 0, 0}});
  EXPECT_DOUBLE_EQ(constants.occupancy_gradient, gradient.occupancy.norm());
  EXPECT_DOUBLE_EQ(constants.nature_gradient, gradient.nature.norm());
  EXPECT_EQ(constants.cross_lipschitz, 1);
  EXPECT_EQ(constants.occupancy_lipschitz, 0);
  EXPECT_EQ(constants.nature_lipschitz, 0);
}

TEST(RewardRobust, NeedsStatesAndActions) {
  EXPECT_THAT([] { RewardRobust utility({.states = 0, .actions = 2}); },
              ThrowsMessage<InvalidInput>(HasSubstr("number of states is 0")));
  EXPECT_THAT([] { RewardRobust utility({.states = 2, .actions = -1}); },
              ThrowsMessage<InvalidInput>(HasSubstr("number of actions is -1")));
}

// phi_1 is 1 in state 0, phi_2 is 1 at action 1: moments 0.3 and 0.6. With xi = (2, 10)
// f = -(2 * 0.3 + 10 * 0.6) = -6.6 and the reward is ((2, 12), (0, 10)).
TEST(FeatureRewardRobust, WeighsItsFeaturesByXi) {
  const FeatureRewardRobust utility({Matrix{{1, 1}, {0, 0}}, Matrix{{0, 1}, {0, 1}}});
  const UtilityGradient gradient = utility.evaluate(kOccupancy, Vector{{2, 10}});
  EXPECT_DOUBLE_EQ(gradient.value, -6.6);
  EXPECT_TRUE(gradient.occupancy.isApprox(Matrix{{-2, -12}, {0, -10}}));
  EXPECT_TRUE(gradient.nature.isApprox(Vector{{-0.3, -0.6}}));
  // Phi has rows (1,0) (1,1) (0,0) (0,1): Phi'Phi = ((2,1),(1,2)), largest eigenvalue 3.
  const UtilityConstants constants = utility.constants(2);
  EXPECT_NEAR(constants.cross_lipschitz, std::sqrt(3.0), 1e-14);
  EXPECT_NEAR(constants.occupancy_gradient, 2 * std::sqrt(3.0), 1e-14);
  EXPECT_NEAR(constants.nature_gradient, std::sqrt(2.0), 1e-15);
}

TEST(FeatureRewardRobust, RejectsBadFeatures) {
  EXPECT_THAT([] { FeatureRewardRobust utility(std::vector<Matrix>{}); },
              ThrowsMessage<InvalidInput>(
                  HasSubstr("number of feature matrices is 0, must be at least 1")));
  EXPECT_THAT(
      [] {
        FeatureRewardRobust utility({Matrix::Zero(2, 2), Matrix::Zero(2, 3)});
      },
      ThrowsMessage<InvalidInput>(HasSubstr("feature 1 is 2 x 3, must be 2 x 2")));
  Matrix infinite = Matrix::Zero(2, 2);
  infinite(0, 1) = std::numeric_limits<double>::infinity();
  EXPECT_THAT([&] { FeatureRewardRobust utility({infinite}); },
              ThrowsMessage<InvalidInput>(HasSubstr("feature 0[0, 1] is inf, must be finite")));
}

}  // namespace
}  // namespace rgu
