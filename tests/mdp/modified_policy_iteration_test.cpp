#include <gtest/gtest.h>

#include <cmath>

#include "laws/models.hpp"
#include "laws/throws.hpp"
#include "rgu/mdp/planning.hpp"

namespace rgu {
namespace {

using testing_models::as_sparse;
using testing_models::random_dense;
using testing_models::random_sparse;

Matrix random_cost(const FiniteMdp& mdp, std::uint64_t seed) {
  Rng rng(seed);
  return Matrix::NullaryExpr(mdp.states(), mdp.actions(), [&] { return rng.normal(); });
}

// The optimal value lies between the bounds in every state, up to rounding.
void expect_bounds_hold(const FiniteMdp& mdp, const Matrix& cost, const ModifiedPlan& plan) {
  const double g = mdp.discount();
  const double rounding = 1e-9 * cost.cwiseAbs().maxCoeff() / (1 - g);
  const Vector optimal = optimal_plan(mdp, cost).value;
  EXPECT_GE((optimal - plan.value).minCoeff(), plan.lowest / (1 - g) - rounding);
  EXPECT_LE((optimal - plan.value).maxCoeff(), plan.highest / (1 - g) + rounding);
  EXPECT_LE(plan.lowest, plan.highest);
}

// The greedy policy costs at most the span over 1-g more than the best.
void expect_plan_is_optimal(const FiniteMdp& mdp, const Matrix& cost, const ModifiedPlan& plan) {
  const PolicyEvaluation evaluation(mdp, deterministic_policy(plan.action, mdp.actions()));
  const Vector excess = evaluation.value(cost) - optimal_plan(mdp, cost).value;
  EXPECT_LE(excess.maxCoeff(), 1e-8 * cost.cwiseAbs().maxCoeff() / (1 - mdp.discount()));
}

// One state that costs 1 at least: V = 1 / (1 - 1/2), known after one look.
TEST(ModifiedPolicyIteration, KnowsTheValueOfOneStateAtOnce) {
  const FiniteMdp mdp(Matrix::Ones(2, 1), Vector::Ones(1), 0.5);
  const ModifiedPlan plan = modified_policy_iteration(mdp, Matrix{{3, 1}});
  EXPECT_EQ(plan.iterations, 1);
  EXPECT_EQ(plan.action[0], 1);
  EXPECT_EQ(plan.value(0) + plan.lowest / 0.5, 2);
  EXPECT_EQ(plan.highest, plan.lowest);
}

// State 0: stay at a cost of 1, or pay 3 to leave for state 1, which costs nothing and keeps. With
// g = 0.9 staying costs 10, leaving 3; with g = 0.5 staying costs 2.
TEST(ModifiedPolicyIteration, LeavesWhereThatPays) {
  const Matrix kernel{{1, 0}, {0, 1}, {0, 1}, {0, 1}};
  const Matrix cost{{1, 3}, {0, 0}};
  for (const auto& [discount, value, action] :
       {std::tuple<double, double, Index>{0.9, 3, 1}, {0.5, 2, 0}}) {
    const FiniteMdp dense(kernel, Vector::Unit(2, 0), discount);
    for (const FiniteMdp& mdp : {dense, as_sparse(dense)}) {
      const ModifiedPlan plan = modified_policy_iteration(mdp, cost);
      EXPECT_EQ(plan.action[0], action);
      EXPECT_NEAR(plan.value(0) + plan.lowest / (1 - discount), value, 1e-8);
      EXPECT_NEAR(plan.value(1) + plan.highest / (1 - discount), 0, 1e-8);
    }
  }
}

TEST(ModifiedPolicyIteration, BoundsTheOptimalValueOfRandomModels) {
  for (const FiniteMdp& mdp : {random_dense(30, 4, 0.9, 1), random_dense(12, 3, 0.999, 2),
                               random_sparse(300, 4, 0.95, 3), random_sparse(100, 3, 0.99, 4)}) {
    const Matrix cost = random_cost(mdp, 5);
    const ModifiedPlan plan = modified_policy_iteration(mdp, cost);
    EXPECT_LE(plan.highest - plan.lowest, 1e-10 * cost.cwiseAbs().maxCoeff());
    expect_bounds_hold(mdp, cost, plan);
    expect_plan_is_optimal(mdp, cost, plan);
  }
}

// However early it stops, and with no sweeps, which is value iteration.
TEST(ModifiedPolicyIteration, BoundsHoldWhereverItStops) {
  const FiniteMdp mdp = random_sparse(60, 3, 0.97, 6);
  const Matrix cost = random_cost(mdp, 7);
  Rng rng(8);
  const Vector guess = Vector::NullaryExpr(60, [&] { return 100 * rng.normal(); });
  for (const Index sweeps : {0, 1, 10, 40}) {
    for (const Index iterations : {1, 2, 5, 1000}) {
      for (const Vector& start : {Vector(), guess}) {
        const ModifiedPlan plan = modified_policy_iteration(
            mdp, cost, {.sweeps = sweeps, .iterations = iterations, .start = start});
        EXPECT_LE(plan.iterations, iterations);
        expect_bounds_hold(mdp, cost, plan);
      }
    }
  }
}

TEST(ModifiedPolicyIteration, EndsAtOnceFromTheAnswer) {
  const FiniteMdp mdp = random_dense(30, 4, 0.95, 9);
  const Matrix cost = random_cost(mdp, 10);
  const Vector optimal = optimal_plan(mdp, cost).value;
  const Vector shifted = optimal.array() + 7;  // a shift is nothing to it
  for (const Vector& start : {optimal, shifted}) {
    const ModifiedPlan plan = modified_policy_iteration(mdp, cost, {.start = start});
    EXPECT_EQ(plan.iterations, 1);
    expect_bounds_hold(mdp, cost, plan);
  }
  EXPECT_GT(modified_policy_iteration(mdp, cost).iterations, 1);
}

// Where nothing mixes the span falls at the rate g alone.
FiniteMdp absorbing(double discount) {
  return {SparseMatrix(Matrix::Identity(4, 4).sparseView()), Vector::Constant(4, 0.25), discount};
}

// s leads to s + 1, or, by the second action, stays.
FiniteMdp cycle(Index states, double discount) {
  Matrix kernel = Matrix::Zero(2 * states, states);
  for (Index s = 0; s < states; ++s) {
    kernel(2 * s, (s + 1) % states) = 1;
    kernel(2 * s + 1, s) = 1;
  }
  return {SparseMatrix(kernel.sparseView()), Vector::Unit(states, 0), discount};
}

// Two dense halves, with a chance of 1e-6 to change sides.
FiniteMdp two_halves(double discount) {
  const FiniteMdp half = random_dense(5, 2, discount, 11);
  Matrix kernel = Matrix::Constant(20, 10, 1e-6 / 5);
  kernel.topLeftCorner(10, 5) = (1 - 1e-6) * half.dense_kernel();
  kernel.bottomRightCorner(10, 5) = (1 - 1e-6) * half.dense_kernel();
  return {kernel, Vector::Constant(10, 0.1), discount};
}

TEST(ModifiedPolicyIteration, ConvergesWhereNothingMixes) {
  for (const double discount : {0.5, 0.9, 0.99}) {
    for (const FiniteMdp& mdp : {absorbing(discount), cycle(7, discount), two_halves(discount)}) {
      const Matrix cost = random_cost(mdp, 12);
      const ModifiedPlan plan = modified_policy_iteration(mdp, cost);
      EXPECT_LE(plan.highest - plan.lowest, 1e-10 * cost.cwiseAbs().maxCoeff());
      expect_bounds_hold(mdp, cost, plan);
      expect_plan_is_optimal(mdp, cost, plan);
    }
  }
}

TEST(ModifiedPolicyIteration, IsHonestWhereItIsTooSlow) {
  for (const FiniteMdp& mdp : {absorbing(0.99999), cycle(7, 0.99999), two_halves(0.9999)}) {
    const Matrix cost = random_cost(mdp, 13);
    expect_bounds_hold(mdp, cost, modified_policy_iteration(mdp, cost, {.iterations = 50}));
  }
}

TEST(ModifiedPolicyIteration, OfNoCostIsZero) {
  const FiniteMdp mdp = random_sparse(20, 2, 0.9, 14);
  const ModifiedPlan plan = modified_policy_iteration(mdp, Matrix::Zero(20, 2));
  EXPECT_EQ(plan.iterations, 1);
  EXPECT_EQ(plan.value, Vector::Zero(20));
  EXPECT_EQ(plan.lowest, 0);
  EXPECT_EQ(plan.highest, 0);
}

TEST(ModifiedPolicyIteration, RefusesBadInput) {
  const FiniteMdp mdp = random_dense(3, 2, 0.9, 15);
  const Matrix cost = Matrix::Ones(3, 2);
  expect_invalid([&] { modified_policy_iteration(mdp, Matrix::Zero(2, 2)); }, "cost is 2 x 2");
  expect_invalid([&] { modified_policy_iteration(mdp, Matrix::Constant(3, 2, NAN)); },
                 "cost[0, 0] is nan");
  expect_invalid([&] { modified_policy_iteration(mdp, cost, {.tolerance = 0}); }, "tolerance is 0");
  expect_invalid([&] { modified_policy_iteration(mdp, cost, {.sweeps = -1}); }, "sweeps is -1");
  expect_invalid([&] { modified_policy_iteration(mdp, cost, {.iterations = 0}); },
                 "iterations is 0");
  expect_invalid([&] { modified_policy_iteration(mdp, cost, {.start = Vector::Zero(2)}); },
                 "start has 2 entries");
  expect_invalid(
      [&] {
        modified_policy_iteration(mdp, cost, {.start = Vector{{0, NAN, 0}}});
      },
      "start[1] is nan");
}

}  // namespace
}  // namespace rgu
