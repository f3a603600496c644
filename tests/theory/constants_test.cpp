#include "rgu/theory/constants.hpp"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "laws/throws.hpp"
#include "theory/numbers.hpp"

namespace rgu {
namespace {

// l_theta = sqrt 2 * 3 / (1/4); L_thth = 2 (1 * 2 + 2 * 3) / (1/8) + (1/2) 3 / (1/4) = 128 + 6;
// L_thxi = sqrt 2 / (1/4); L_xith = sqrt 2 * 2 / (1/2); L_Gamma = 134 + 32 / 1. The matrix
// [[134, 4 sqrt 2], [4 sqrt 2, 2]] is symmetric with largest eigenvalue 68 + sqrt(66^2 + 32).
TEST(SaddleConstants, InThePapersScaleAreAsByHand) {
  const SaddleConstants c = saddle_constants(easy_paper_numbers());
  EXPECT_DOUBLE_EQ(c.policy_gradient, 12 * kRoot2);
  EXPECT_DOUBLE_EQ(c.policy_policy, 134);
  EXPECT_DOUBLE_EQ(c.policy_nature, 4 * kRoot2);
  EXPECT_DOUBLE_EQ(c.nature_policy, 4 * kRoot2);
  EXPECT_DOUBLE_EQ(c.nature_nature, 2);
  EXPECT_DOUBLE_EQ(c.envelope, 166);
  EXPECT_DOUBLE_EQ(c.field, 68 + std::sqrt(4388.0));
}

// Half of the starred ones at g = 1/2. [[67, 2 sqrt 2], [4 sqrt 2, 2]]: the squares add up to
// 4489 + 8 + 32 + 4 = 4533, the determinant is 134 - 16 = 118.
TEST(SaddleConstants, OfTheDerivativeAreAsByHand) {
  const SaddleConstants c = saddle_constants(easy_numbers());
  EXPECT_DOUBLE_EQ(c.policy_gradient, 6 * kRoot2);
  EXPECT_DOUBLE_EQ(c.policy_policy, 67);
  EXPECT_DOUBLE_EQ(c.policy_nature, 2 * kRoot2);
  EXPECT_DOUBLE_EQ(c.nature_policy, 4 * kRoot2);
  EXPECT_DOUBLE_EQ(c.nature_nature, 2);
  EXPECT_DOUBLE_EQ(c.envelope, 83);
  EXPECT_DOUBLE_EQ(c.field, std::sqrt((4533 + std::sqrt(4533.0 * 4533 - 4 * 118.0 * 118)) / 2));
}

TEST(SaddleConstants, DifferBetweenTheScalesExactlyWhereStarred) {
  for (const double discount : {0.1, 0.75, 0.95, 0.999}) {
    ProblemNumbers numbers = easy_numbers();
    numbers.discount = discount;
    const SaddleConstants ours = saddle_constants(numbers);
    const EstimationErrors our_errors = estimation_errors(numbers, {7, 3, 5, 11});
    numbers.scale = ConstantScale::kPaper;
    const SaddleConstants paper = saddle_constants(numbers);
    const EstimationErrors paper_errors = estimation_errors(numbers, {7, 3, 5, 11});
    const double star = 1 - discount;
    EXPECT_DOUBLE_EQ(ours.policy_gradient, star * paper.policy_gradient);
    EXPECT_DOUBLE_EQ(ours.policy_policy, star * paper.policy_policy);
    EXPECT_DOUBLE_EQ(ours.policy_nature, star * paper.policy_nature);
    EXPECT_DOUBLE_EQ(ours.envelope, star * paper.envelope);
    EXPECT_EQ(ours.nature_policy, paper.nature_policy);
    EXPECT_EQ(ours.nature_nature, paper.nature_nature);
    EXPECT_LT(ours.field, paper.field);
    EXPECT_DOUBLE_EQ(our_errors.policy, star * star * paper_errors.policy);
    EXPECT_EQ(our_errors.nature, paper_errors.nature);
  }
}

TEST(SaddleConstants, HaveAsLfTheLargestSingularValue) {
  for (const double cross : {0.0, 1e-3, 0.7, 40.0, 1e6}) {
    for (const double nature : {1.0, 60.0, 1e5}) {
      ProblemNumbers numbers = easy_numbers();
      numbers.cross_lipschitz = cross;
      numbers.nature_lipschitz = nature;
      const SaddleConstants c = saddle_constants(numbers);
      Matrix entries(2, 2);
      entries << c.policy_policy, c.policy_nature, c.nature_policy, c.nature_nature;
      const double largest = Eigen::JacobiSVD<Matrix>(entries).singularValues()(0);
      EXPECT_NEAR(c.field / largest, 1, 1e-14) << cross << " " << nature;
    }
  }
}

TEST(SaddleConstants, GrowWithTheDiscount) {
  for (const ConstantScale scale : {ConstantScale::kDerivative, ConstantScale::kPaper}) {
    ProblemNumbers numbers = easy_numbers();
    numbers.scale = scale;
    SaddleConstants last = {};
    for (const double discount : {0.01, 0.5, 0.9, 0.95, 0.99, 0.9999}) {
      numbers.discount = discount;
      const SaddleConstants c = saddle_constants(numbers);
      EXPECT_GT(c.policy_gradient, last.policy_gradient);
      EXPECT_GT(c.policy_policy, last.policy_policy);
      EXPECT_GT(c.policy_nature, last.policy_nature);
      EXPECT_GT(c.nature_policy, last.nature_policy);
      EXPECT_GT(c.envelope, last.envelope);
      EXPECT_GT(c.field, last.field);
      last = c;
    }
  }
}

TEST(SaddleConstants, HaveNoSmoothEnvelopeWithoutStrongConcavity) {
  ProblemNumbers numbers = easy_numbers();
  numbers.strong_concavity = 0;
  EXPECT_EQ(saddle_constants(numbers).envelope, kInfinity);
  EXPECT_TRUE(std::isfinite(saddle_constants(numbers).field));
}

// Then grad Gamma = grad_theta f at whatever xi, so L_thth.
TEST(SaddleConstants, HaveASmoothEnvelopeWhereNatureHasNoSay) {
  ProblemNumbers one_point = easy_numbers();
  one_point.strong_concavity = 0;
  one_point.nature_diameter = 0;
  EXPECT_DOUBLE_EQ(saddle_constants(one_point).envelope, 67);
  ProblemNumbers uncoupled = uncoupled_numbers();
  uncoupled.strong_concavity = 0;
  EXPECT_DOUBLE_EQ(saddle_constants(uncoupled).envelope, 67);
}

TEST(SaddleConstants, AreInfiniteWhereABoundIsMissing) {
  ProblemNumbers numbers = easy_numbers();
  numbers.occupancy_lipschitz = kInfinity;
  const SaddleConstants c = saddle_constants(numbers);
  EXPECT_DOUBLE_EQ(c.policy_gradient, 6 * kRoot2);
  EXPECT_EQ(c.policy_policy, kInfinity);
  EXPECT_DOUBLE_EQ(c.policy_nature, 2 * kRoot2);
  EXPECT_EQ(c.envelope, kInfinity);
  EXPECT_EQ(c.field, kInfinity);
  EXPECT_EQ(estimation_errors(numbers, {}).policy, kInfinity);
  EXPECT_DOUBLE_EQ(estimation_errors(numbers, {}).nature, 1.25);
}

// A policy that does not depend on theta has no gradient, however wild f is.
TEST(SaddleConstants, AreZeroWhereTheirFactorIsZeroAndNeverNan) {
  ProblemNumbers numbers{
      .discount = 0.5, .states = 1, .actions = 1, .policy_lipschitz = 0, .policy_smoothness = 0};
  const SaddleConstants c = saddle_constants(numbers);
  EXPECT_EQ(c.policy_gradient, 0);
  EXPECT_EQ(c.policy_policy, 0);
  EXPECT_EQ(c.policy_nature, 0);
  EXPECT_EQ(c.nature_policy, 0);
  EXPECT_EQ(c.envelope, 0);
  EXPECT_EQ(c.field, kInfinity);  // L_xi
  EXPECT_EQ(estimation_errors(numbers, {}).policy, 0);
  EXPECT_EQ(error_coefficients(numbers).policy_horizon, 0);

  numbers = {.discount = 0.5, .states = 1, .actions = 1};  // nothing is known
  const SaddleConstants unknown = saddle_constants(numbers);
  for (const double value :
       {unknown.policy_gradient, unknown.policy_policy, unknown.policy_nature,
        unknown.nature_policy, unknown.nature_nature, unknown.envelope, unknown.field,
        estimation_errors(numbers, {}).policy, estimation_errors(numbers, {}).nature}) {
    EXPECT_EQ(value, kInfinity);
  }
}

// m = 4, H = 1, m' = 2, H' = 2: 3 * 2 / (1/16) = 96, times
// 1 * 8 (1/4 + 1/4) + 9/2 + 9 (1 + 2/2)^2 / 16 = 4 + 4.5 + 2.25. E_xi = 1/4 + 1/4.
TEST(EstimationErrors, AreAsByHand) {
  const SampleBudget budget{
      .trajectories = 4, .horizon = 1, .policy_trajectories = 2, .policy_horizon = 2};
  EXPECT_DOUBLE_EQ(estimation_errors(easy_paper_numbers(), budget).policy, 1032);
  EXPECT_DOUBLE_EQ(estimation_errors(easy_numbers(), budget).policy, 258);
  EXPECT_DOUBLE_EQ(estimation_errors(easy_numbers(), budget).nature, 0.5);
}

TEST(EstimationErrors, FallWithEveryBudget) {
  const auto total = [](const SampleBudget& budget) {
    const EstimationErrors errors = estimation_errors(easy_numbers(), budget);
    return errors.policy + errors.nature;
  };
  const double before = total({4, 4, 4, 4});
  EXPECT_LT(total({5, 4, 4, 4}), before);
  EXPECT_LT(total({4, 5, 4, 4}), before);
  EXPECT_LT(total({4, 4, 5, 4}), before);
  EXPECT_LT(total({4, 4, 4, 5}), before);
}

// 96/4 = 24: C_m = 24 * 8 + 1, C_m' = 24 * 9.
TEST(ErrorCoefficients, AreAsByHandAndAddUpToTheErrors) {
  const ErrorCoefficients c = error_coefficients(easy_numbers());
  EXPECT_DOUBLE_EQ(c.trajectories, 193);
  EXPECT_DOUBLE_EQ(c.horizon, 193);
  EXPECT_DOUBLE_EQ(c.policy_trajectories, 216);
  EXPECT_DOUBLE_EQ(c.policy_horizon, 216);
  const EstimationErrors errors = estimation_errors(easy_numbers(), {10, 3, 20, 4});
  EXPECT_DOUBLE_EQ(errors.policy + errors.nature,
                   193 / 10.0 + 193 / 64.0 + 216 / 20.0 + 216 * 9 / 256.0);
}

TEST(EstimationErrors, RefuseEmptyBudgets) {
  const auto refused = [](const SampleBudget& budget, const std::string& part) {
    expect_invalid([&] { estimation_errors(easy_numbers(), budget); }, part);
  };
  refused({.trajectories = 0}, "trajectories is 0, must be at least 1");
  refused({.horizon = -1}, "horizon is -1");
  refused({.policy_trajectories = 0}, "policy_trajectories is 0");
  refused({.policy_horizon = 0}, "policy_horizon is 0");
}

using Change = std::function<void(ProblemNumbers&)>;

TEST(ProblemNumbers, AreRefusedOutOfRange) {
  const auto refused = [](const Change& change, const std::string& part) {
    ProblemNumbers numbers = easy_numbers();
    change(numbers);
    expect_invalid([&] { check_problem_numbers(numbers); }, part);
    expect_invalid([&] { saddle_constants(numbers); }, part);
    expect_invalid([&] { error_coefficients(numbers); }, part);
    expect_invalid([&] { estimation_errors(numbers, {}); }, part);
  };
  for (const double discount : {0.0, 1.0, -0.5, kNan}) {
    refused([=](auto& n) { n.discount = discount; }, "must lie strictly between 0 and 1");
  }
  refused([](auto& n) { n.states = 0; }, "states is 0");
  refused([](auto& n) { n.actions = 0; }, "actions is 0");
  refused([](auto& n) { n.policy_lipschitz = -1; }, "policy_lipschitz is -1, must be >= 0");
  refused([](auto& n) { n.policy_smoothness = kNan; }, "policy_smoothness is nan");
  refused([](auto& n) { n.occupancy_gradient = -1; }, "occupancy_gradient is -1");
  refused([](auto& n) { n.occupancy_lipschitz = kNan; }, "occupancy_lipschitz is nan");
  refused([](auto& n) { n.nature_gradient = -1; }, "nature_gradient is -1");
  refused([](auto& n) { n.nature_lipschitz = kNan; }, "nature_lipschitz is nan");
  refused([](auto& n) { n.cross_lipschitz = -1; }, "cross_lipschitz is -1");
  refused([](auto& n) { n.policy_diameter = kNan; }, "policy_diameter is nan");
  refused([](auto& n) { n.nature_diameter = -1; }, "nature_diameter is -1");
  refused([](auto& n) { n.occupancy_diameter = -1; }, "occupancy_diameter is -1");
  refused([](auto& n) { n.strong_concavity = -1; }, "strong_concavity is -1");
  refused([](auto& n) { n.strong_concavity = kInfinity; }, "strong_concavity is inf");
  refused([](auto& n) { n.strong_concavity = 3; }, "at most nature_lipschitz, which is 2");
  refused([](auto& n) { n.concave_in_nature = false; }, "must be 0 where f is not concave in xi");
}

TEST(ProblemNumbers, OfOnePointMayClaimAnyConcavity) {
  ProblemNumbers numbers = easy_numbers();
  numbers.strong_concavity = 3;
  numbers.nature_diameter = 0;
  EXPECT_NO_THROW(check_problem_numbers(numbers));
}

}  // namespace
}  // namespace rgu
