#include "rgu/gradient/sampled_oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "laws/problems.hpp"
#include "laws/throws.hpp"
#include "rgu/gradient/exact_oracle.hpp"

namespace rgu {
namespace {

using testing_models::random_dense;

// Where f is linear in lambda the estimates are unbiased up to the horizon, which is long enough
// here to be invisible (0.8^90 = 2e-9): their means lie within 4 standard errors of the exact
// gradients. The same test proves the factor (1-g): without it the mean would be off fivefold.
TEST(SampledOracle, MeansAreTheExactGradients) {
  const FiniteMdp mdp = random_dense(4, 3, 0.8, 51);
  ThreadPool pool(2);
  const TrajectorySampler sampler(mdp, pool);
  for (const auto& [name, utility] : every_utility(4, 3, 52)) {
    const bool linear = name == "Reward" || name == "RewardRobust" ||
                        name == "FeatureRewardRobust" || name == "Constrained" ||
                        name == "Regularized";
    if (!linear) continue;
    const TabularSoftmax policy({.states = 4, .actions = 3});
    Rng rng(53);
    const ProblemCase problem{name, nullptr, std::make_shared<TabularSoftmax>(policy), utility};
    const SaddlePoint at = random_point(problem, rng);
    for (const auto scale : {PolicyGradientScale::kDerivative, PolicyGradientScale::kPaper}) {
      const SaddleGradient exact = ExactOracle(mdp, policy, *utility, scale).gradient(at);
      const SampledOracle oracle(sampler, policy, *utility,
                                 {.occupancy = {32, 90}, .policy = {32, 90}, .scale = scale});
      constexpr int kCalls = 1000;
      const Index width = 1 + exact.policy.size() + exact.nature.size();
      Vector truth(width);
      truth << exact.value, exact.policy, exact.nature;
      Vector mean = Vector::Zero(width);
      Vector square = Vector::Zero(width);
      for (int k = 0; k < kCalls; ++k) {
        const SaddleGradient estimate = oracle.estimate(at, rng);
        Vector sample(width);
        sample << estimate.value, estimate.policy, estimate.nature;
        mean += sample / kCalls;
        square += sample.cwiseAbs2() / kCalls;
      }
      const Vector error = ((square - mean.cwiseAbs2()) / (kCalls - 1)).cwiseMax(0.0).cwiseSqrt();
      for (Index i = 0; i < width; ++i) {
        EXPECT_NEAR(mean(i), truth(i), 4 * error(i) + 1e-8) << name << " entry " << i;
      }
    }
  }
}

// For every utility the estimate tends to the exact gradient as the batches grow.
TEST(SampledOracle, ApproachesTheExactGradientForEveryUtility) {
  const FiniteMdp mdp = random_dense(4, 3, 0.8, 54);
  ThreadPool pool(2);
  const TrajectorySampler sampler(mdp, pool);
  const TabularSoftmax policy({.states = 4, .actions = 3});
  for (const NamedUtility& named : every_utility(4, 3, 55)) {
    const Utility& utility = *named.utility;
    Rng rng(56);
    const ProblemCase problem{named.name, nullptr, std::make_shared<TabularSoftmax>(policy),
                              named.utility};
    const SaddlePoint at = random_point(problem, rng);
    const SaddleGradient exact = ExactOracle(mdp, policy, utility).gradient(at);
    const auto error = [&](Index trajectories) {
      const SampledOracle oracle(sampler, policy, utility,
                                 {.occupancy = {trajectories, 60}, .policy = {trajectories, 60}});
      double total = 0;
      for (int k = 0; k < 4; ++k) {
        const SaddleGradient estimate = oracle.estimate(at, rng);
        total += (estimate.policy - exact.policy).norm() + (estimate.nature - exact.nature).norm();
      }
      return total / 4;
    };
    const double coarse = error(100);
    const double fine = error(40000);
    EXPECT_LT(fine, 0.2 * coarse) << named.name;  // the law says 1/20
    EXPECT_LT(fine, 0.05 * (exact.policy.norm() + exact.nature.norm() + 0.1)) << named.name;
  }
}

TEST(SampledOracle, IsBitIdenticalForAnyNumberOfThreads) {
  const FiniteMdp mdp = random_dense(10, 5, 0.95, 57);
  const TabularSoftmax policy({.states = 10, .actions = 5});
  const RewardRobust utility({.states = 10, .actions = 5});
  const auto run = [&](int threads) {
    ThreadPool pool(threads);
    const TrajectorySampler sampler(mdp, pool);
    const SampledOracle oracle(sampler, policy, utility);
    Rng rng(58);
    SaddlePoint at{normal_vector(50, rng), normal_vector(50, rng)};
    for (int k = 0; k < 10; ++k) {
      const SaddleGradient gradient = oracle.estimate(at, rng);
      at.policy -= gradient.policy;
      at.nature += gradient.nature;
    }
    return at;
  };
  const SaddlePoint one = run(1);
  for (const int threads : {2, 8}) {
    const SaddlePoint many = run(threads);
    EXPECT_EQ(many.policy, one.policy);
    EXPECT_EQ(many.nature, one.nature);
  }
}

TEST(SampledOracle, UsesIndependentBatchesForTheTwoEstimates) {
  // With one trajectory of one step and two states that cannot be told apart by anything but the
  // draw, reusing the batch would make grad_theta nonzero only where lambda_hat is.
  Matrix p(4, 2);
  p << 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5;
  const FiniteMdp mdp(p, Vector::Constant(2, 0.5), 0.9);
  const TabularSoftmax policy({.states = 2, .actions = 2});
  const RewardRobust utility({.states = 2, .actions = 2});
  ThreadPool pool(1);
  const TrajectorySampler sampler(mdp, pool);
  const SampledOracle oracle(sampler, policy, utility, {.occupancy = {1, 1}, .policy = {1, 1}});
  Rng rng(59);
  const SaddlePoint at{Vector::Zero(4), Vector::Ones(4)};
  int apart = 0;
  for (int k = 0; k < 200; ++k) {
    const SaddleGradient gradient = oracle.estimate(at, rng);
    const bool first_in_state_0 = gradient.nature.head(2).norm() > 0;
    const bool second_in_state_0 = gradient.policy.head(2).norm() > 0;
    apart += first_in_state_0 != second_in_state_0;
  }
  EXPECT_GT(apart, 70);  // half of 200 on average if independent, none if reused
  EXPECT_LT(apart, 130);
}

TEST(SampledOracle, RefusesEmptyBatchesAndPartsThatDoNotFit) {
  const FiniteMdp mdp = random_dense(3, 2, 0.9, 60);
  ThreadPool pool(1);
  const TrajectorySampler sampler(mdp, pool);
  const TabularSoftmax policy({.states = 3, .actions = 2});
  const RewardRobust utility({.states = 3, .actions = 2});
  const RewardRobust other({.states = 2, .actions = 2});
  expect_invalid(
      [&] {
        SampledOracle(sampler, policy, utility, {.occupancy = {0, 5}});
      },
      "number of trajectories is 0");
  expect_invalid(
      [&] {
        SampledOracle(sampler, policy, utility, {.policy = {5, 0}});
      },
      "horizon is 0");
  expect_invalid([&] { SampledOracle(sampler, policy, other); }, "utility is over 2 states");
}

}  // namespace
}  // namespace rgu
