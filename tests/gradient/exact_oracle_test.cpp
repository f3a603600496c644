#include "rgu/gradient/exact_oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "laws/problems.hpp"
#include "laws/throws.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/mdp/softmax.hpp"
#include "rgu/utility/reward.hpp"
#include "rgu/utility/reward_robust.hpp"

namespace rgu {
namespace {

using testing_models::as_sparse;
using testing_models::random_dense;

class ExactOracleLaws : public testing::TestWithParam<ProblemCase> {};

double value_at(const ProblemCase& problem, const SaddlePoint& at) {
  const Matrix lambda = occupancy(*problem.mdp, problem.policy->probabilities(at.policy));
  return problem.utility->evaluate(lambda, at.nature).value;
}

// (f(x + h e_i) - f(x - h e_i)) / 2h for each entry of the vector that `part` names.
Vector central_differences(const ProblemCase& problem, const SaddlePoint& at,
                           Vector SaddlePoint::*part) {
  constexpr double kStep = 2e-5;
  Vector slope((at.*part).size());
  for (Index i = 0; i < slope.size(); ++i) {
    SaddlePoint above = at;
    SaddlePoint below = at;
    (above.*part)(i) += kStep;
    (below.*part)(i) -= kStep;
    slope(i) = (value_at(problem, above) - value_at(problem, below)) / (2 * kStep);
  }
  return slope;
}

TEST_P(ExactOracleLaws, BothGradientsAreTheDerivatives) {
  const ProblemCase& problem = GetParam();
  const ExactOracle oracle(*problem.mdp, *problem.policy, *problem.utility);
  Rng rng(31);
  for (int k = 0; k < 3; ++k) {
    const SaddlePoint at = random_point(problem, rng);
    const SaddleGradient gradient = oracle.gradient(at);
    EXPECT_NEAR(gradient.value, value_at(problem, at),
                1e-12 * std::max(1.0, std::abs(gradient.value)));
    const Vector policy = central_differences(problem, at, &SaddlePoint::policy);
    EXPECT_LE((gradient.policy - policy).norm(), 1e-6 * std::max(1e-2, policy.norm()));
    const Vector nature = central_differences(problem, at, &SaddlePoint::nature);
    EXPECT_LE((gradient.nature - nature).norm(), 1e-6 * std::max(1e-2, nature.norm()));
  }
}

// Fails if the factor (1-g) is dropped from the derivative or from its relation to the paper's
// scale: at g = 0.95 the two differ twentyfold.
TEST_P(ExactOracleLaws, ThePaperScaleIsTheDerivativeDividedByOneMinusTheDiscount) {
  const ProblemCase& problem = GetParam();
  Rng rng(32);
  const SaddlePoint at = random_point(problem, rng);
  const ExactOracle derivative(*problem.mdp, *problem.policy, *problem.utility);
  const ExactOracle paper(*problem.mdp, *problem.policy, *problem.utility,
                          PolicyGradientScale::kPaper);
  const Vector slope = central_differences(problem, at, &SaddlePoint::policy);
  const SaddleGradient scaled = paper.gradient(at);
  const double factor = 1 / (1 - problem.mdp->discount());
  EXPECT_LE((scaled.policy - factor * slope).norm(), 1e-6 * factor * std::max(1e-2, slope.norm()));
  EXPECT_EQ(scaled.nature, derivative.gradient(at).nature);
  EXPECT_EQ(scaled.value, derivative.gradient(at).value);
}

INSTANTIATE_TEST_SUITE_P(Problems, ExactOracleLaws, testing::ValuesIn(problem_cases()),
                         [](const auto& each) { return each.param.name; });

// The two-state model of occupancy_test.cpp with theta such that pi(switch|0) = p = 1/2 and
// pi(switch|1) = q = 1/4. The cost of being in state 1 is
//   f = d1 = g p / D, D = 1-g + g p + g q = 7/8, so f = 2/7;
//   df/dp = g (1-g + g q) / D^2 = (1/2)(5/8)(64/49) = 20/49, dp/dtheta(0,switch) = p (1-p) = 1/4;
//   df/dq = -g g p / D^2 = -(1/8)(64/49) = -8/49,            dq/dtheta(1,switch) = q (1-q) = 3/16.
// The gradient is (-5/49, 5/49; 3/98, -3/98): stay and switch of a state have opposite signs.
TEST(ExactOracle, OnTheTwoStateModelGivesTheHandSolvedGradient) {
  Matrix p(4, 2);
  p << 1, 0, 0, 1, 0, 1, 1, 0;
  const FiniteMdp dense(p, Vector::Unit(2, 0), 0.5);
  const TabularSoftmax policy({.states = 2, .actions = 2});
  Matrix reward(2, 2);
  reward << 0, 0, -1, -1;
  const LinearReward utility(reward);
  const SaddlePoint at{Vector{{0, 0, std::log(3.0), 0}}, Vector(0)};
  for (const FiniteMdp& mdp : {dense, as_sparse(dense)}) {
    const SaddleGradient gradient = ExactOracle(mdp, policy, utility).gradient(at);
    EXPECT_NEAR(gradient.value, 2.0 / 7, 1e-12);
    const Vector expected{{-5.0 / 49, 5.0 / 49, 3.0 / 98, -3.0 / 98}};
    EXPECT_LE((gradient.policy - expected).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_EQ(gradient.nature.size(), 0);
  }
}

TEST(ExactOracle, DrawsNoRandomNumbers) {
  const ProblemCase problem = problem_cases().front();
  const ExactOracle oracle(*problem.mdp, *problem.policy, *problem.utility);
  Rng rng(33);
  const SaddlePoint at = random_point(problem, rng);
  const Rng::State before = rng.state();
  const SaddleGradient estimate = oracle.estimate(at, rng);
  EXPECT_EQ(rng.state(), before);
  EXPECT_EQ(estimate.policy, oracle.gradient(at).policy);
}

TEST(ExactOracle, RefusesPartsThatDoNotFitTogether) {
  const FiniteMdp mdp = random_dense(3, 2, 0.9, 1);
  const TabularSoftmax policy({.states = 3, .actions = 2});
  const RewardRobust utility({.states = 3, .actions = 2});
  const TabularSoftmax other_policy({.states = 2, .actions = 3});
  const RewardRobust other_utility({.states = 4, .actions = 2});
  expect_invalid([&] { ExactOracle(mdp, policy, other_utility); },
                 "utility is over 4 states and 2 actions, the model has 3 and 2");
  expect_invalid([&] { ExactOracle(mdp, other_policy, utility); },
                 "policy is over 2 states and 3 actions, the model has 3 and 2");
  const ExactOracle oracle(mdp, policy, utility);
  expect_invalid(
      [&] {
        oracle.gradient({Vector::Zero(5), Vector::Zero(6)});
      },
      "theta has 5 entries");
  expect_invalid([&] { oracle.gradient({Vector::Zero(6), Vector::Zero(5)}); }, "xi has 5 entries");
}

}  // namespace
}  // namespace rgu
