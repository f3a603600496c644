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

TEST(MultipliersOnEdge, OfABoxAreThoseAtAnUpperEnd) {
  const Box box({.lower = Vector{{0, 0}}, .upper = Vector{{10, 5}}});
  const auto on_edge = [&](double a, double b) {
    return multipliers_on_edge(*two_constraints(), box, Vector{{a, b}});
  };
  EXPECT_FALSE(on_edge(0, 0));
  EXPECT_FALSE(on_edge(9.9, 4.9));
  EXPECT_TRUE(on_edge(10, 0));
  EXPECT_TRUE(on_edge(0, 5 - 1e-7));
  const Box flat({.lower = Vector{{0, 5}}, .upper = Vector{{10, 5}}});
  EXPECT_FALSE(multipliers_on_edge(*two_constraints(), flat, Vector{{1, 5}}));
}

TEST(MultipliersOnEdge, OfTheCappedOrthantHaveTheWholeSum) {
  const CappedOrthant orthant(2, 4);
  EXPECT_FALSE(multipliers_on_edge(*two_constraints(), orthant, Vector{{0, 3.9}}));
  EXPECT_TRUE(multipliers_on_edge(*two_constraints(), orthant, Vector{{1, 3}}));
  EXPECT_TRUE(multipliers_on_edge(*two_constraints(), orthant, Vector{{0, 3.9}}, 0.1));
}

TEST(MultipliersOnEdge, OfABallCannotGrow) {
  const LpBall ball({.centre = Vector::Zero(2), .radius = 5, .p = 2});
  EXPECT_TRUE(multipliers_on_edge(*two_constraints(), ball, Vector{{3, 4}}));
  EXPECT_FALSE(multipliers_on_edge(*two_constraints(), ball, Vector{{3, 3.9}}));
  EXPECT_FALSE(multipliers_on_edge(*two_constraints(), ball, Vector{{0, 0}}));
  // The lower end of a ball around (5, 0): at (0, 0) and at (1, -3) growing leads inside.
  const LpBall moved({.centre = Vector{{5, 0}}, .radius = 5, .p = 2});
  EXPECT_FALSE(multipliers_on_edge(*two_constraints(), moved, Vector{{0, 0}}));
  EXPECT_TRUE(multipliers_on_edge(*two_constraints(), moved, Vector{{10, 0}}));
}

TEST(MultipliersOnEdge, AreLookedForInRegularizedUtilitiesAndSums) {
  const auto regularized = std::make_shared<NatureRegularized>(
      two_constraints(), NatureRegularization{3, Vector::Ones(2)});
  const auto box = std::make_shared<Box>(uniform_box(2, {.lower = 0, .upper = 1}));
  EXPECT_TRUE(multipliers_on_edge(*regularized, *box, Vector{{1, 0}}));
  const Sum sum({{1, no_constraints()}, {1, regularized}});
  const ProductSet product({box, box});
  EXPECT_FALSE(multipliers_on_edge(sum, product, Vector{{1, 1, 0.5, 0.5}}));
  EXPECT_TRUE(multipliers_on_edge(sum, product, Vector{{0, 0, 0.5, 1}}));
  EXPECT_FALSE(multipliers_on_edge(sum, uniform_box(4, {.lower = 0, .upper = 1}), Vector::Ones(4)));
  EXPECT_FALSE(multipliers_on_edge(*no_constraints(), *box, Vector{{1, 1}}));
}

TEST(MultipliersOnEdge, RejectWhatDoesNotFit) {
  const Box box = uniform_box(2, {.lower = 0, .upper = 1});
  const auto utility = two_constraints();
  expect_invalid([&] { multipliers_on_edge(*utility, CappedOrthant(3, 1), Vector::Zero(2)); },
                 "ambiguity set has dimension 3, must have that of xi, which is 2");
  expect_invalid([&] { multipliers_on_edge(*utility, box, Vector::Zero(3)); },
                 "xi has 3 entries, must have 2");
  expect_invalid([&] { multipliers_on_edge(*utility, box, Vector::Zero(2), 0); },
                 "tolerance of the edge is 0");
}

}  // namespace
}  // namespace rgu
