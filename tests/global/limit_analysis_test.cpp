#include "rgu/global/limit_analysis.hpp"

#include <gtest/gtest.h>

#include "rgu/ambiguity/box.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/utility/constrained.hpp"

namespace rgu {
namespace {

// State 0 leads to state 1 by action 0 and to state 2 by action 1; both are absorbing. g = 1/2,
// start in 0: half of the mass stays in 0, and a = x(0,0) is the mass of state 1, 1/2 - a that
// of 2.
FiniteMdp fork_in_the_road() {
  Matrix p(6, 3);
  p << 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1;
  return {p, Vector::Unit(3, 0), 0.5};
}

Matrix mass_of(Index state) {
  Matrix cost = Matrix::Zero(3, 2);
  cost.row(state).setOnes();
  return cost;
}

Constrained limited(const std::vector<Matrix>& costs, const Vector& thresholds) {
  return Constrained({.objective = -mass_of(1), .constraints = costs, .thresholds = thresholds});
}

// Recomputed from the raw numbers: V <= cost + g P V + e, and then (1-g) <rho, V> - e bounds.
void expect_proof(const FiniteMdp& mdp, const Limits& limits, const Infeasibility& proof) {
  EXPECT_NEAR(proof.combination.sum(), 1, 1e-12);
  EXPECT_GE(proof.combination.minCoeff(), 0);
  const Vector combined = limits.costs * proof.combination;
  const Matrix cost = as_matrix(combined, mdp.states(), mdp.actions());
  const Matrix slack = cost + mdp.discount() * mdp.expected_next(proof.potential) -
                       proof.potential.replicate(1, mdp.actions());
  const double bound = (1 - mdp.discount()) * mdp.start().dot(proof.potential) + slack.minCoeff() -
                       limits.thresholds.dot(proof.combination);
  EXPECT_GE(bound, proof.excess - 1e-12 * (1 + std::abs(bound)));
  EXPECT_GT(proof.excess, 0);
}

// a <= 0.1 and 1/2 - a <= 0.1 contradict each other: their mean is at least 1/4, the limits' 0.1.
TEST(ProveInfeasible, FindsTheHandSolvedCombinationAtEveryScale) {
  const FiniteMdp mdp = fork_in_the_road();
  for (const double size : {1e-6, 1.0, 1e6}) {
    const Constrained utility =
        limited({size * mass_of(1), size * mass_of(2)}, Vector{{0.1 * size, 0.1 * size}});
    const Limits limits = limits_of(utility);
    const auto proof = prove_infeasible(mdp, limits);
    ASSERT_TRUE(proof.has_value());
    EXPECT_NEAR(proof->combination(0), 0.5, 1e-9);
    EXPECT_NEAR(proof->excess, 0.15 * size, 1e-9 * size);
    expect_proof(mdp, limits, *proof);
  }
}

TEST(ProveInfeasible, IsEmptyWhereSomePolicyKeepsTheLimits) {
  const FiniteMdp mdp = fork_in_the_road();
  for (const double limit : {0.25, 0.3, 10.0}) {  // 0.25: only just
    const Constrained utility = limited({mass_of(1), mass_of(2)}, Vector{{limit, limit}});
    EXPECT_FALSE(prove_infeasible(mdp, limits_of(utility)).has_value()) << limit;
  }
}

// Minimising -a with a <= 0.2 takes a multiplier of 1, whatever the ambiguity set.
TEST(UnboundedMultipliers, AreThoseThatKeepTheLimit) {
  const FiniteMdp mdp = fork_in_the_road();
  const Constrained utility = limited({mass_of(1), mass_of(2)}, Vector{{0.2, 0.4}});
  const Box small = uniform_box(2, {.lower = 0, .upper = 0.4});
  const auto needed = unbounded_multipliers({mdp, utility, small});
  ASSERT_TRUE(needed.has_value());
  EXPECT_NEAR((*needed)(0), 1, 1e-9);
  EXPECT_NEAR((*needed)(1), 0, 1e-9);
}

}  // namespace
}  // namespace rgu
