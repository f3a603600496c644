#include "rgu/utility/constrained.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "rgu/base/check.hpp"

namespace rgu {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

ConstrainedCosts costs() {
  return {.objective = Matrix{{1, 0}, {2, 1}},
          .constraints = {Matrix{{1, 1}, {0, 0}}, Matrix{{0, 4}, {0, 2}}},
          .thresholds = Vector{{0.5, 1.0}}};
}

// lambda = ((.1, .2), (.3, .4)): <c_0> = .1 + .6 + .4 = 1.1, <c_1> = .3, <c_2> = .8 + .8 = 1.6.
// The constraints are exceeded by -0.2 and 0.6, so with xi = (2, 3) f = 1.1 - 0.4 + 1.8 = 2.5.
TEST(Constrained, IsTheLagrangian) {
  const Constrained utility(costs());
  const UtilityGradient gradient = utility.evaluate(Matrix{{0.1, 0.2}, {0.3, 0.4}}, Vector{{2, 3}});
  EXPECT_DOUBLE_EQ(gradient.value, 2.5);
  EXPECT_TRUE(gradient.occupancy.isApprox(Matrix{{3, 14}, {2, 7}}));
  EXPECT_TRUE(gradient.nature.isApprox(Vector{{-0.2, 0.6}}));
  EXPECT_EQ(utility.traits().nature, NatureShape::kLinear);
  EXPECT_TRUE(utility.traits().convex_in_occupancy);
}

// The rows of C - tau are (0.5, -1), (0.5, 3), (-0.5, -1), (-0.5, 1): the second is the longest.
TEST(Constrained, TheBoundOnItsViolationIsAttainedAtAVertex) {
  const Constrained utility(costs());
  const UtilityConstants constants = utility.constants(1);
  EXPECT_DOUBLE_EQ(constants.nature_gradient, std::sqrt(0.25 + 9));
  const UtilityGradient gradient = utility.evaluate(Matrix{{0, 1}, {0, 0}}, Vector{{0, 0}});
  EXPECT_DOUBLE_EQ(gradient.nature.norm(), constants.nature_gradient);
}

TEST(Constrained, RejectsCostsThatDoNotFit) {
  const auto message_of = [](auto change) {
    return [change] {
      ConstrainedCosts bad = costs();
      change(bad);
      Constrained utility(bad);
    };
  };
  EXPECT_THAT(message_of([](auto& bad) { bad.constraints.clear(); }),
              ThrowsMessage<InvalidInput>(
                  HasSubstr("number of constraint cost matrices is 0, must be at least 1")));
  EXPECT_THAT(message_of([](auto& bad) { bad.constraints[1] = Matrix::Zero(3, 2); }),
              ThrowsMessage<InvalidInput>(HasSubstr("constraint cost 1 is 3 x 2, must be 2 x 2")));
  EXPECT_THAT(message_of([](auto& bad) { bad.objective = Matrix::Zero(2, 3); }),
              ThrowsMessage<InvalidInput>(HasSubstr("constraint cost 0 is 2 x 2, must be 2 x 3")));
  EXPECT_THAT(message_of([](auto& bad) { bad.thresholds = Vector::Zero(3); }),
              ThrowsMessage<InvalidInput>(HasSubstr("thresholds has 3 entries, must have 2")));
  EXPECT_THAT(message_of([](auto& bad) { bad.thresholds(1) = std::nan(""); }),
              ThrowsMessage<InvalidInput>(HasSubstr("thresholds[1] is nan")));
  EXPECT_THAT(message_of([](auto& bad) { bad.objective(0, 1) = std::nan(""); }),
              ThrowsMessage<InvalidInput>(HasSubstr("objective cost[0, 1] is nan")));
  EXPECT_THAT(message_of([](auto& bad) { bad.constraints[0](1, 1) = std::nan(""); }),
              ThrowsMessage<InvalidInput>(HasSubstr("constraint cost 0[1, 1] is nan")));
}

}  // namespace
}  // namespace rgu
