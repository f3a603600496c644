#include "rgu/global/cutting_planes.hpp"

#include <gtest/gtest.h>

#include "laws/throws.hpp"
#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/matrix_ball.hpp"
#include "rgu/ambiguity/singleton.hpp"
#include "rgu/global/envelope.hpp"
#include "rgu/global/envelope_model.hpp"
#include "rgu/mdp/generators.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/mdp/planning.hpp"
#include "rgu/robustness/worst_case.hpp"
#include "rgu/utility/constrained.hpp"
#include "rgu/utility/drift.hpp"
#include "rgu/utility/entropy.hpp"
#include "rgu/utility/reward.hpp"
#include "rgu/utility/reward_robust.hpp"
#include "rgu/utility/variance.hpp"

namespace rgu {
namespace {

World small_world(std::uint64_t seed) {
  Rng rng(seed);
  return random_model({.states = 6, .actions = 3, .discount = 0.9}, rng);
}

Matrix random_matrix(Index rows, Index columns, std::uint64_t seed) {
  Rng rng(seed);
  return Matrix::NullaryExpr(rows, columns, [&] { return rng.normal(); });
}

Matrix random_policy(Index states, Index actions, Rng& rng) {
  Matrix pi = Matrix::NullaryExpr(states, actions, [&] { return rng.exponential(); });
  return pi.array().colwise() / pi.rowwise().sum().array();
}

// The gap recomputed: the value is that of the policy, and no random policy is below the bound.
void expect_proven(const World& world, const Utility& utility, const ConvexSet& set,
                   const GlobalSolution& solution, double tolerance) {
  EXPECT_EQ(solution.status, GlobalStatus::kCertified);
  EXPECT_LE(solution.gap(), tolerance * std::max(std::abs(solution.value), 1e-9));
  const Matrix lambda = occupancy(world.mdp, solution.policy);
  EXPECT_NEAR(worst_case(utility, set, lambda).value, solution.value, 1e-10);
  EXPECT_LE(solution.lower_bound, solution.value + 1e-12);
  Rng rng(77);
  for (int k = 0; k < 200; ++k) {
    const Matrix pi = random_policy(world.mdp.states(), world.mdp.actions(), rng);
    EXPECT_GE(worst_case(utility, set, occupancy(world.mdp, pi)).value,
              solution.lower_bound - 1e-12);
  }
}

// Without ambiguity and with a linear cost the minimum is an optimal plan's.
TEST(CuttingPlanes, FindTheOptimalPlanOfALinearCost) {
  const World world = small_world(1);
  const Matrix reward = random_matrix(6, 3, 2);
  const LinearReward utility(reward);
  const Singleton none(Vector(0));
  const GlobalSolution solution = cutting_plane_minimum(world.mdp, utility, none);
  const Plan plan = optimal_plan(world.mdp, -reward);
  EXPECT_NEAR(solution.value, 0.1 * world.mdp.start().dot(plan.value), 1e-6);
  expect_proven(world, utility, none, solution, 1e-6);
}

// A minorant again only if the weights are made to add up to 1.
TEST(CuttingPlanes, AreAveragedByTheirShares) {
  const std::vector<Cut> cuts = {{.slope = Matrix{{4}}, .offset = 8},
                                 {.slope = Matrix{{-8}}, .offset = 4},
                                 {.slope = Matrix{{1}}, .offset = 1}};
  const Cut mean = mean_cut(cuts, Vector{{6, 2, -1}});
  EXPECT_EQ(mean.slope, (Matrix{{1}}));
  EXPECT_EQ(mean.offset, 7);
  EXPECT_EQ(mean_cut(cuts, Vector{{0, -1, 0}}).offset, 1);
}

// A reward of any size is the same problem in another unit.
TEST(CuttingPlanes, DoNotDependOnTheUnitOfTheReward) {
  const World world = small_world(3);
  const Vector centre = flatten(random_matrix(6, 3, 4));
  const RewardRobust utility({6, 3});
  const GlobalSolution one =
      cutting_plane_minimum(world.mdp, utility, LpBall({.centre = centre, .radius = 0.5, .p = 2}));
  for (const double unit : {1e-6, 1e12}) {
    const LpBall set({.centre = unit * centre, .radius = unit * 0.5, .p = 2});
    const GlobalSolution scaled = cutting_plane_minimum(world.mdp, utility, set);
    EXPECT_EQ(scaled.status, GlobalStatus::kCertified);
    EXPECT_NEAR(scaled.value / unit, one.value, 2e-6 * std::abs(one.value));
  }
}

TEST(CuttingPlanes, ProveRewardRobustPoliciesOnEveryBall) {
  const World world = small_world(3);
  const Vector centre = flatten(random_matrix(6, 3, 4));
  const RewardRobust utility({.states = 6, .actions = 3});
  for (const double p : {1.0, 2.0, std::numeric_limits<double>::infinity()}) {
    const LpBall ball({.centre = centre, .radius = 0.8, .p = p});
    expect_proven(world, utility, ball,
                  cutting_plane_minimum(world.mdp, utility, ball, {.tolerance = 1e-5}), 1e-5);
  }
}

TEST(CuttingPlanes, ProveEntropyAndConstraints) {
  const World world = small_world(5);
  const Entropy entropy({.shape = {.states = 6, .actions = 3}, .over = Marginal::kStateActions});
  const Singleton none(Vector(0));
  expect_proven(world, entropy, none,
                cutting_plane_minimum(world.mdp, entropy, none, {.tolerance = 1e-3}), 1e-3);
  const Constrained constrained({.objective = random_matrix(6, 3, 6),
                                 .constraints = {random_matrix(6, 3, 7)},
                                 .thresholds = Vector::Zero(1)});
  const Box multipliers = uniform_box(1, {0, 20});
  expect_proven(world, constrained, multipliers,
                cutting_plane_minimum(world.mdp, constrained, multipliers), 1e-6);
}

// Two methods that share nothing but the certificate.
TEST(GlobalMinimum, OfDriftIsTheSameByInteriorPointsAndByCuttingPlanes) {
  const World world = small_world(8);
  const Drift drift({.actions = 3, .features = random_matrix(18, 4, 9), .dimension = 2});
  const FrobeniusBall ball(Matrix::Identity(2, 4), 0.4);
  const GlobalSolution interior = envelope_minimum(world.mdp, drift, ball);
  EXPECT_EQ(interior.method.find("cutting"), std::string::npos);
  const GlobalSolution cuts =
      cutting_plane_minimum(world.mdp, drift, ball, {.tolerance = 1e-4, .iterations = 2000});
  expect_proven(world, drift, ball, cuts, 1e-4);
  EXPECT_NEAR(cuts.value, interior.value, 2e-4 * std::abs(interior.value));
  EXPECT_LE(cuts.lower_bound, interior.value + 1e-12);
  EXPECT_LE(interior.lower_bound, cuts.value + 1e-12);
}

TEST(GlobalMinimum, AtADegenerateRadiusIsZero) {
  const World world = small_world(8);
  const Drift drift({.actions = 3, .features = random_matrix(18, 4, 9), .dimension = 2});
  const FrobeniusBall ball(Matrix::Identity(2, 4), 1.0);
  EXPECT_NEAR(envelope_minimum(world.mdp, drift, ball).lower_bound, 0, 1e-9);
}

TEST(CuttingPlanes, WhatCannotBeProvenIsRefused) {
  const World world = small_world(1);
  const Variance risk({.features = {random_matrix(6, 3, 1)}, .aversion = 1});
  const Box weights = uniform_box(1, {0, 1});
  expect_invalid([&] { cutting_plane_minimum(world.mdp, risk, weights); }, "not convex");
  const RewardRobust other({.states = 5, .actions = 3});
  expect_invalid([&] { cutting_plane_minimum(world.mdp, other, weights); }, "states");
  const RewardRobust fits({.states = 6, .actions = 3});
  expect_invalid([&] { cutting_plane_minimum(world.mdp, fits, weights); }, "dimension");
  const Box rewards = uniform_box(18, {0, 1});
  expect_invalid([&] { cutting_plane_minimum(world.mdp, fits, rewards, {.tolerance = 0}); },
                 "tolerance");
  expect_invalid([&] { cutting_plane_minimum(world.mdp, fits, rewards, {.iterations = 0}); },
                 "iterations");
}

}  // namespace
}  // namespace rgu
