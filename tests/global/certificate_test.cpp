#include "rgu/global/certificate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "laws/models.hpp"
#include "laws/throws.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/mdp/planning.hpp"

namespace rgu {
namespace {

Matrix normal_cost(Index states, Index actions, Rng& rng) {
  return Matrix::NullaryExpr(states, actions, [&] { return rng.normal(); });
}

// The least <slope, lambda> over all A^S deterministic policies.
double least_of_all_policies(const FiniteMdp& mdp, const Matrix& slope) {
  std::vector<Index> action(static_cast<std::size_t>(mdp.states()), 0);
  double least = std::numeric_limits<double>::infinity();
  for (bool more = true; more;) {
    const Matrix lambda = occupancy(mdp, deterministic_policy(action, mdp.actions()));
    least = std::min(least, lambda.cwiseProduct(slope).sum());
    std::size_t s = 0;
    while (s < action.size() && ++action[s] == mdp.actions()) action[s++] = 0;
    more = s < action.size();
  }
  return least;
}

TEST(PlanningBound, IsTheLeastValueOfAllPoliciesButNotAbove) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const FiniteMdp mdp = seed % 2 == 0 ? testing_models::random_dense(4, 3, 0.9, seed)
                                        : testing_models::random_sparse(5, 2, 0.95, seed);
    Rng rng(100 + seed);
    const Matrix slope = normal_cost(mdp.states(), mdp.actions(), rng);
    const double least = least_of_all_policies(mdp, slope);
    const double bound = planning_bound(mdp, slope, 0.7);
    EXPECT_LE(bound, 0.7 + least) << seed;
    EXPECT_NEAR(bound, 0.7 + least, mdp.is_sparse() ? 1e-10 : 1e-12) << seed;
  }
}

// Values of about cost / (1-g) must not cost the bound their rounding where they hardly differ.
TEST(PlanningBound, OfNearlyEqualCostsIsTightNearDiscountOne) {
  for (const bool sparse : {false, true}) {
    const FiniteMdp dense = testing_models::random_dense(150, 3, 0.9999, 31);
    const FiniteMdp mdp = sparse ? testing_models::as_sparse(dense) : dense;
    Rng rng(32);
    const Matrix slope = (1 + 1e-6 * normal_cost(150, 3, rng).array()).matrix();
    const auto action = optimal_plan(mdp, slope).action;
    const Matrix lambda = occupancy(mdp, deterministic_policy(action, 3));
    const double least = 1 + lambda.cwiseProduct((slope.array() - 1).matrix()).sum();
    const double bound = planning_bound(mdp, slope, 0);
    EXPECT_LE(bound, least + 1e-15) << sparse;
    EXPECT_NEAR(bound, least, 1e-10) << sparse;
  }
}

// Staying costs 1 in state 0 and 0 in state 1; action 1 of state 0 moves to 1 and costs 3. With
// g = 1/2, staying is worth 1 + 1/2 + ... = 2, moving 3: the bound is (1-g) 2 = 1 from state 0.
TEST(PlanningBound, MatchesTheHandSolution) {
  const Matrix kernel{{1, 0}, {0, 1}, {0, 1}, {0, 1}};
  const FiniteMdp mdp(kernel, Vector{{1, 0}}, 0.5);
  EXPECT_NEAR(planning_bound(mdp, Matrix{{1, 3}, {0, 0}}, 0), 1, 1e-13);
  EXPECT_NEAR(planning_bound(mdp, Matrix{{1, 3}, {0, 0}}, -4), -3, 1e-13);
}

TEST(PlanningBound, RefusesWrongShapesAndNumbersThatAreNotFinite) {
  const FiniteMdp mdp = testing_models::random_dense(3, 2, 0.9, 1);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_invalid([&] { planning_bound(mdp, Matrix::Zero(2, 3), 0); }, "cost");
  expect_invalid([&] { planning_bound(mdp, Matrix::Constant(3, 2, nan), 0); }, "cost");
  expect_invalid([&] { planning_bound(mdp, Matrix::Zero(3, 2), nan); }, "offset");
}

TEST(GlobalSolution, HasTheGapBetweenItsValueAndItsBound) {
  GlobalSolution solution;
  solution.value = -2;
  solution.lower_bound = -2.5;
  EXPECT_EQ(solution.gap(), 0.5);
  EXPECT_EQ(solution.status, GlobalStatus::kLimit);
}

}  // namespace
}  // namespace rgu
