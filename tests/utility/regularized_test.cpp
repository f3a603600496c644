#include "rgu/utility/regularized.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "rgu/base/check.hpp"
#include "rgu/utility/reward.hpp"
#include "rgu/utility/reward_robust.hpp"
#include "rgu/utility/target.hpp"

namespace rgu {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const OccupancyShape kShape{.states = 2, .actions = 1};

std::shared_ptr<const Utility> linear() { return std::make_shared<RewardRobust>(kShape); }

// -<xi, lambda> = -(3 * .25 + 1 * .75) = -1.5; xi - centre = (2, 1); with mu = 0.4 the term is
// 0.2 * 5 = 1.
TEST(NatureRegularized, SubtractsTheQuadraticAroundItsCentre) {
  const NatureRegularized utility(linear(), {.modulus = 0.4, .centre = Vector{{1, 0}}});
  const UtilityGradient gradient = utility.evaluate(Matrix{{0.25}, {0.75}}, Vector{{3, 1}});
  EXPECT_DOUBLE_EQ(gradient.value, -2.5);
  EXPECT_TRUE(gradient.occupancy.isApprox(Matrix{{-3}, {-1}}));
  EXPECT_TRUE(gradient.nature.isApprox(Vector{{-0.25 - 0.8, -0.75 - 0.4}}));
  EXPECT_EQ(utility.regularization().modulus, 0.4);
}

TEST(NatureRegularized, AddsItsModulus) {
  const auto once = std::make_shared<NatureRegularized>(
      linear(), NatureRegularization{.modulus = 0.4, .centre = Vector::Zero(2)});
  EXPECT_EQ(once->traits().nature, NatureShape::kStronglyConcave);
  EXPECT_DOUBLE_EQ(once->traits().strong_concavity, 0.4);
  EXPECT_TRUE(once->traits().convex_in_occupancy);
  const NatureRegularized twice(once, {.modulus = 1.0, .centre = Vector::Zero(2)});
  EXPECT_DOUBLE_EQ(twice.traits().strong_concavity, 1.4);
}

TEST(NatureRegularized, DoesNotClaimConcavityOfANonconcaveUtility) {
  const NatureRegularized utility(std::make_shared<QuadraticTarget>(kShape),
                                  {.modulus = 0.4, .centre = Vector::Zero(2)});
  EXPECT_EQ(utility.traits().nature, NatureShape::kNonconcave);
  EXPECT_EQ(utility.traits().strong_concavity, 0);
}

// |grad_xi| <= 1 + mu (|xi| + |centre|) = 1 + 2 (3 + 5).
TEST(NatureRegularized, AddsToTheConstantsInXiOnly) {
  const NatureRegularized utility(linear(), {.modulus = 2, .centre = Vector{{3, 4}}});
  const UtilityConstants constants = utility.constants(3);
  EXPECT_DOUBLE_EQ(constants.nature_gradient, 17);
  EXPECT_DOUBLE_EQ(constants.nature_lipschitz, 2);
  EXPECT_DOUBLE_EQ(constants.occupancy_gradient, 3);
  EXPECT_DOUBLE_EQ(constants.cross_lipschitz, 1);
}

TEST(NatureRegularized, RejectsBadInput) {
  const Vector zero = Vector::Zero(2);
  EXPECT_THAT([&] { NatureRegularized utility(nullptr, {.modulus = 1, .centre = zero}); },
              ThrowsMessage<InvalidInput>(HasSubstr("utility to regularize is empty")));
  EXPECT_THAT([&] { NatureRegularized utility(linear(), {.modulus = 0, .centre = zero}); },
              ThrowsMessage<InvalidInput>(
                  HasSubstr("modulus mu of the regularization is 0, must be finite and > 0")));
  EXPECT_THAT(
      [] { NatureRegularized utility(linear(), {.modulus = 1, .centre = Vector::Zero(3)}); },
      ThrowsMessage<InvalidInput>(
          HasSubstr("centre of the regularization has 3 entries, must have 2")));
  EXPECT_THAT(
      [] {
        NatureRegularized utility(linear(), {.modulus = 1, .centre = Vector{{0, std::nan("")}}});
      },
      ThrowsMessage<InvalidInput>(HasSubstr("centre of the regularization[1] is nan")));
  const auto without = std::make_shared<LinearReward>(Matrix::Zero(2, 1));
  EXPECT_THAT([&] { NatureRegularized utility(without, {.modulus = 1, .centre = Vector()}); },
              ThrowsMessage<InvalidInput>(
                  HasSubstr("dimension of xi of a regularized utility is 0, must be at least 1")));
}

}  // namespace
}  // namespace rgu
