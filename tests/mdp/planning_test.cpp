#include "rgu/mdp/planning.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "laws/models.hpp"
#include "laws/throws.hpp"
#include "rgu/mdp/occupancy.hpp"

namespace rgu {
namespace {

using testing_models::as_sparse;
using testing_models::random_dense;
using testing_models::random_sparse;

Matrix random_cost(const FiniteMdp& mdp, std::uint64_t seed) {
  Rng rng(seed);
  return Matrix::NullaryExpr(mdp.states(), mdp.actions(), [&] { return rng.normal(); });
}

double cost_of(const FiniteMdp& mdp, const std::vector<Index>& action, const Matrix& cost) {
  return occupancy(mdp, deterministic_policy(action, mdp.actions())).cwiseProduct(cost).sum();
}

TEST(OptimalPlan, BeatsEveryDeterministicPolicy) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const FiniteMdp mdp = random_dense(4, 3, 0.9, seed);
    const Matrix cost = random_cost(mdp, seed + 100);
    double best = std::numeric_limits<double>::infinity();
    std::vector<Index> action(4);
    for (int code = 0; code < 81; ++code) {  // 3^4 policies
      int rest = code;
      for (Index& a : action) {
        a = rest % 3;
        rest /= 3;
      }
      best = std::min(best, cost_of(mdp, action, cost));
    }
    const Plan plan = optimal_plan(mdp, cost);
    EXPECT_NEAR(cost_of(mdp, plan.action, cost), best, 1e-12);
    EXPECT_NEAR((1 - 0.9) * mdp.start().dot(plan.value), best, 1e-12);
  }
}

TEST(OptimalPlan, ValueSolvesTheOptimalityEquation) {
  for (const FiniteMdp& mdp : {random_dense(40, 4, 0.99, 1), random_sparse(500, 4, 0.99, 2)}) {
    const Matrix cost = random_cost(mdp, 3);
    const Plan plan = optimal_plan(mdp, cost);
    const Matrix q = cost + mdp.discount() * mdp.expected_next(plan.value);
    EXPECT_LE((plan.value - q.rowwise().minCoeff()).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LE(plan.residual, 1e-9);
    EXPECT_GE(plan.iterations, 1);
  }
}

TEST(OptimalPlan, EndsOnTies) {
  const FiniteMdp mdp = random_dense(6, 3, 0.999, 4);
  const Plan plan = optimal_plan(mdp, Matrix::Constant(6, 3, 1.0));
  EXPECT_LE(plan.iterations, 2);
  EXPECT_NEAR(plan.value(0), 1000.0, 1e-8);
}

TEST(OptimalPlan, OfSparseAndDenseKernelsAgree) {
  const FiniteMdp dense = random_dense(20, 3, 0.95, 5);
  const Matrix cost = random_cost(dense, 6);
  EXPECT_LE((optimal_plan(dense, cost).value - optimal_plan(as_sparse(dense), cost).value)
                .cwiseAbs()
                .maxCoeff(),
            1e-9);
}

TEST(OptimalPlan, RefusesBadCosts) {
  const FiniteMdp mdp = random_dense(3, 2, 0.9, 1);
  expect_invalid([&] { optimal_plan(mdp, Matrix::Zero(2, 2)); }, "cost is 2 x 2");
  expect_invalid([&] { optimal_plan(mdp, Matrix::Constant(3, 2, NAN)); }, "cost[0, 0] is nan");
  expect_invalid([] { deterministic_policy({0, 2}, 2); }, "action of s=1 is 2");
}

}  // namespace
}  // namespace rgu
