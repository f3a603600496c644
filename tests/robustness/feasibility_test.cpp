#include "rgu/robustness/feasibility.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "laws/throws.hpp"
#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/product_set.hpp"
#include "rgu/ambiguity/simplex.hpp"
#include "rgu/utility/constrained.hpp"
#include "rgu/utility/regularized.hpp"
#include "rgu/utility/reward_robust.hpp"
#include "rgu/utility/sum.hpp"

namespace rgu {
namespace {

const Matrix kOccupancy{{0.25}, {0.75}};

// Costs (4, 0) and (0, 4) with thresholds 2 and 2: means 1 and 3, so violations -1 and 1.
std::shared_ptr<const Constrained> two_constraints() {
  return std::make_shared<Constrained>(
      ConstrainedCosts{Matrix::Zero(2, 1), {Matrix{{4}, {0}}, Matrix{{0}, {4}}}, Vector{{2, 2}}});
}
std::shared_ptr<const Utility> no_constraints() {
  return std::make_shared<RewardRobust>(OccupancyShape{.states = 2, .actions = 1});
}

TEST(ConstraintReport, HoldsTheExcessOfEveryConstraint) {
  const auto report = constraint_report(*two_constraints(), kOccupancy);
  ASSERT_TRUE(report.has_value());
  EXPECT_TRUE(report->violation.isApprox(Vector{{-1, 1}}));
  EXPECT_DOUBLE_EQ(report->largest, 1);
}

TEST(ConstraintReport, LooksIntoRegularizedUtilitiesAndSums) {
  const auto regularized = std::make_shared<NatureRegularized>(
      two_constraints(), NatureRegularization{3, Vector::Ones(2)});
  EXPECT_TRUE(constraint_report(*regularized, kOccupancy)->violation.isApprox(Vector{{-1, 1}}));
  const Sum sum({{1, two_constraints()}, {2, no_constraints()}, {3, regularized}});
  EXPECT_TRUE(constraint_report(sum, kOccupancy)->violation.isApprox(Vector{{-1, 1, -1, 1}}));
}

TEST(ConstraintReport, IsEmptyWithoutConstraints) {
  EXPECT_FALSE(constraint_report(*no_constraints(), kOccupancy).has_value());
  const Sum sum({{1, no_constraints()}});
  EXPECT_FALSE(constraint_report(sum, kOccupancy).has_value());
}

TEST(ConstraintReport, RejectsAWrongShape) {
  expect_invalid([] { constraint_report(*two_constraints(), Matrix::Ones(1, 2)); },
                 "occupancy is 1 x 2, must be 2 x 1");
  expect_invalid([] { constraint_report(*no_constraints(), Matrix::Ones(1, 2)); },
                 "occupancy is 1 x 2, must be 2 x 1");
}

// An excess of up to a thousandth of the limit,
// and of a thousandth of the cost beside it, counts as kept.
TEST(ConstraintReport, CallsALimitBrokenRelativeToItAndToTheCost) {
  for (const double size : {1e-6, 1.0, 1e6}) {
    const Constrained limit({.objective = Matrix::Zero(2, 1),
                             .constraints = {Matrix{{size}, {0}}},
                             .thresholds = Vector{{0.2 * size}}});
    const auto broken = [&](double mass) {
      return constraint_report(limit, Matrix{{mass}, {1 - mass}})->broken;
    };
    EXPECT_EQ(broken(0.1), -1);
    EXPECT_EQ(broken(0.2), -1);
    EXPECT_EQ(broken(0.2 + 0.9e-3 * 0.2), -1);
    EXPECT_EQ(broken(0.2 + 1.2e-3 * 0.2), 0);
    EXPECT_EQ(broken(0.9), 0);
  }
}

}  // namespace
}  // namespace rgu
