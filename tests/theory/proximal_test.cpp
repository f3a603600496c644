#include "rgu/theory/proximal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "laws/throws.hpp"
#include "theory/numbers.hpp"

namespace rgu {
namespace {

double positive_part(double x) { return std::max(0.0, x); }
double at_least_one(double x) { return std::max(1.0, std::ceil(x)); }

// L_F = 67 (see uncoupled_numbers), so mu = 33, alpha = 1/668.
const ProximalSettings kSettings{
    .weight = 100, .step = 1 / 668.0, .optimisation_constant = 0.5, .sampling_constant = 0.25};

TEST(ProximalStep, IsAQuarterOfOneOverTheLipschitzConstantOfTheSubproblem) {
  EXPECT_DOUBLE_EQ(largest_proximal_step(uncoupled_numbers(), 100), 1 / 668.0);
  ProblemNumbers rough = easy_numbers();
  rough.occupancy_lipschitz = kInfinity;
  EXPECT_EQ(largest_proximal_step(rough, 100), 0);
}

TEST(ProximalStep, IsPartOfAdmissibleSettingsWhereThereAreAny) {
  const auto settings = admissible_proximal_settings(uncoupled_numbers());
  ASSERT_TRUE(settings);
  EXPECT_DOUBLE_EQ(settings->weight, 134);
  EXPECT_DOUBLE_EQ(settings->step, 1 / 804.0);
  EXPECT_TRUE(std::isfinite(proximal_bound(uncoupled_numbers(), *settings, 1)));

  ProblemNumbers rough = easy_numbers();
  rough.occupancy_lipschitz = kInfinity;
  EXPECT_FALSE(admissible_proximal_settings(rough));

  ProblemNumbers flat = uncoupled_numbers();
  flat.occupancy_gradient = flat.occupancy_lipschitz = flat.nature_lipschitz =
      flat.strong_concavity = 0;
  ASSERT_TRUE(admissible_proximal_settings(flat));
  EXPECT_EQ(admissible_proximal_settings(flat)->weight, 1);
  EXPECT_EQ(admissible_proximal_settings(flat)->step, 0.25);
}

TEST(CountRule, GrowsAsItSays) {
  const CountRule log{.base = -1.5, .rate = 2, .growth = RuleGrowth::kLog};
  EXPECT_EQ(count_at(log, 0), 1);  // -1.5
  EXPECT_EQ(count_at(log, 9), 4);  // -1.5 + 4.605
  const CountRule quadratic{.base = 0.25, .rate = 0.5, .growth = RuleGrowth::kQuadratic};
  EXPECT_EQ(count_at(quadratic, 0), 1);
  EXPECT_EQ(count_at(quadratic, 3), 9);  // 8.25
  EXPECT_EQ(count_at({.base = 0, .rate = 0}, kInfinity), 1);
  EXPECT_EQ(count_at({.base = kInfinity, .rate = kInfinity}, 0), kInfinity);
}

// The formulas written out, with l_pi = 2 and powers of two, so that counts are exact: no coupling,
// L_F = L_thth = (4 * 8 * 8 + 6)/2 = 131, mu = 32, C_m = C_H = 48 * 8, C_m' = C_H' = 48 * 9, D = 5.
// In (1 + x/2) 2^(-x/8) the peak has 1 + x/2 = 1/(2b), b = log(2)/8.
TEST(ProximalSchedule, EqualsTheFormulasOfTheAppendix) {
  ProblemNumbers numbers = uncoupled_numbers();
  numbers.policy_lipschitz = 2;
  const double mu = 32;
  const double alpha = 1 / 2048.0;
  const double x = 8 / std::log(2.0) - 2;
  const double peak = (1 + x / 2) * std::pow(2.0, -x / 8);
  for (const double c_mc : {0.25, 1024.0, 0x1p20, 0x1p-20}) {
    for (const double c_opt : {0.5, 100.0}) {
      const ProximalSchedule schedule = proximal_schedule(numbers, {.weight = 163,
                                                                    .step = alpha,
                                                                    .optimisation_constant = c_opt,
                                                                    .sampling_constant = c_mc});
      for (int k = 0; k <= 1000; ++k) {
        const double weight = 64 * (k + 1.0) * (k + 1.0) / (mu * mu * c_mc);
        EXPECT_EQ(count_at(schedule.inner_steps, k),
                  at_least_one(2 / (alpha * mu) *
                               (2 * std::log(k + 1.0) + positive_part(std::log(25 / c_opt)))));
        EXPECT_EQ(count_at(schedule.trajectories, k), at_least_one(384 * weight));
        EXPECT_EQ(count_at(schedule.policy_trajectories, k), at_least_one(432 * weight));
        EXPECT_EQ(count_at(schedule.horizon, k),
                  at_least_one(positive_part(std::log(384 * weight)) / (2 * std::log(2.0))));
        EXPECT_EQ(count_at(schedule.policy_horizon, k),
                  at_least_one(positive_part(std::log(432 * weight * peak * peak)) /
                               (1.75 * std::log(2.0))));
      }
    }
  }
}

// Lem. MC_decay and Cor. inner-gap-decay themselves: 2 (E_theta + E_xi) <= mu^2 c_mc/(8 (k+1)^2),
// (1 - alpha mu/2)^T D^2 <= c_opt/(k+1)^2.
TEST(ProximalSchedule, KeepsWhatTheLemmasPromise) {
  for (const double discount : {0.02, 0.5, 0.9, 0.95, 0.99}) {
    ProblemNumbers numbers = easy_numbers();
    numbers.discount = discount;
    ProximalSettings settings = *admissible_proximal_settings(numbers);
    settings.optimisation_constant = 0.01;
    settings.sampling_constant = 1e-3;
    const double mu = settings.weight - saddle_constants(numbers).field;
    const ProximalSchedule schedule = proximal_schedule(numbers, settings);
    for (const double k : {0, 1, 2, 5, 10, 100, 1000, 100000}) {
      const auto count = [&](const CountRule& rule) {
        return static_cast<Index>(count_at(rule, k));
      };
      const EstimationErrors errors =
          estimation_errors(numbers, {.trajectories = count(schedule.trajectories),
                                      .horizon = count(schedule.horizon),
                                      .policy_trajectories = count(schedule.policy_trajectories),
                                      .policy_horizon = count(schedule.policy_horizon)});
      const double n2 = (k + 1) * (k + 1);
      EXPECT_LE(2 * (errors.policy + errors.nature),
                mu * mu * settings.sampling_constant / (8 * n2) * (1 + 1e-12));
      EXPECT_LE(std::pow(1 - settings.step * mu / 2, count_at(schedule.inner_steps, k)) * 25,
                settings.optimisation_constant / n2 * (1 + 1e-12));
    }
  }
}

// The smallest H' with C (1 + H'(1-g))^2 g^(2H') <= mu^2 c_mc/(64 (k+1)^2), by trying.
TEST(ProximalSchedule, HasPolicyHorizonsNotMuchAboveTheSmallest) {
  for (const double discount : {0.5, 0.9, 0.99}) {
    ProblemNumbers numbers = easy_numbers();
    numbers.discount = discount;
    ProximalSettings settings = *admissible_proximal_settings(numbers);
    settings.sampling_constant = 1e-4;
    const double mu = settings.weight - saddle_constants(numbers).field;
    const double c = error_coefficients(numbers).policy_horizon;
    const ProximalSchedule schedule = proximal_schedule(numbers, settings);
    for (const double k : {0, 10, 1000}) {
      const double goal = mu * mu * settings.sampling_constant / (64 * (k + 1) * (k + 1));
      double smallest = 1;
      while (c * std::pow((1 + smallest * (1 - discount)) * std::pow(discount, smallest), 2) >
             goal) {
        ++smallest;
      }
      const double chosen = count_at(schedule.policy_horizon, k);
      EXPECT_GE(chosen, smallest);
      EXPECT_LE(chosen, 1 + 1.5 * smallest) << discount << " " << k;
    }
  }
}

TEST(ProximalSchedule, NeverFallsInK) {
  const ProximalSchedule schedule = proximal_schedule(uncoupled_numbers(), kSettings);
  for (const CountRule& rule : {schedule.inner_steps, schedule.trajectories, schedule.horizon,
                                schedule.policy_trajectories, schedule.policy_horizon}) {
    for (double k = 0; k < 3000; ++k) EXPECT_LE(count_at(rule, k), count_at(rule, k + 1));
    EXPECT_GT(count_at(rule, 3000), count_at(rule, 0));
  }
}

TEST(ProximalSchedule, ClipsItsLogarithmsAtZero) {
  // D^2 = 25 below c_opt: the base is 0. Small errors: horizons start at 1 and wait.
  const ProximalSettings easy{
      .weight = 100, .step = 1 / 668.0, .optimisation_constant = 30, .sampling_constant = 1e6};
  const ProximalSchedule schedule = proximal_schedule(uncoupled_numbers(), easy);
  EXPECT_EQ(schedule.inner_steps.base, 0);
  EXPECT_EQ(count_at(schedule.inner_steps, 0), 1);
  EXPECT_EQ(count_at(schedule.horizon, 0), 1);
  EXPECT_EQ(count_at(schedule.horizon, 250), 1);  // 64 * 192 * 251^2 / (1089 * 1e6) = 0.71
  EXPECT_GT(count_at(schedule.horizon, 3000), 1);
}

TEST(ProximalSchedule, OfErrorFreeGradientsOrOnePointNeedsOneOfEach) {
  ProblemNumbers numbers = uncoupled_numbers();
  numbers.occupancy_gradient = numbers.occupancy_lipschitz = 0;
  numbers.policy_diameter = numbers.nature_diameter = 0;
  const ProximalSchedule schedule = proximal_schedule(numbers, kSettings);
  EXPECT_EQ(count_at(schedule.inner_steps, 0), 1);
  for (const CountRule& rule : {schedule.trajectories, schedule.horizon,
                                schedule.policy_trajectories, schedule.policy_horizon}) {
    EXPECT_EQ(count_at(rule, 1000), 1);
  }
}

TEST(ProximalSchedule, IsInfiniteOutsideTheConditionsOfTheTheorem) {
  const auto expect_infinite = [](const ProblemNumbers& numbers, const ProximalSettings& settings) {
    const ProximalSchedule schedule = proximal_schedule(numbers, settings);
    EXPECT_EQ(count_at(schedule.inner_steps, 0), kInfinity);
    EXPECT_EQ(count_at(schedule.policy_horizon, 7), kInfinity);
    EXPECT_EQ(proximal_bound(numbers, settings, 100), kInfinity);
    EXPECT_EQ(proximal_iterations(numbers, settings, 1), kInfinity);
    EXPECT_EQ(proximal_plan(numbers, settings, 1).samples, kInfinity);
    EXPECT_EQ(proximal_samples(schedule, 100000), kInfinity);
  };
  ProximalSettings settings = kSettings;
  settings.weight = 67;  // = L_F
  settings.step = 1e-4;
  expect_infinite(uncoupled_numbers(), settings);
  settings = kSettings;
  settings.step *= 1 + 1e-12;
  expect_infinite(uncoupled_numbers(), settings);
  ProblemNumbers rough = easy_numbers();
  rough.occupancy_lipschitz = kInfinity;
  expect_infinite(rough, {.weight = 1e9, .step = 1e-12});
  expect_infinite(easy_numbers(), {.weight = 1.5, .step = 0.03});
}

TEST(ProximalSchedule, OfUnboundedSetsNeedsInfinitelyManyInnerSteps) {
  ProblemNumbers numbers = uncoupled_numbers();
  numbers.policy_diameter = kInfinity;
  const ProximalSchedule schedule = proximal_schedule(numbers, kSettings);
  EXPECT_EQ(count_at(schedule.inner_steps, 0), kInfinity);
  EXPECT_TRUE(std::isfinite(count_at(schedule.trajectories, 0)));
  EXPECT_EQ(proximal_bound(numbers, kSettings, 10), kInfinity);
}

// T = 2, 2 + log..: rules with counts by hand. k = 0: T = 2, m = 1, H = 3, m' = 2, H' = 1:
// 2 * 2 * (3 + 2) = 20. k = 1: T = 2, m = 4, H = 3, m' = 8, H' = 1: 4 * (12 + 8) = 80.
TEST(ProximalSamples, AreAsByHand) {
  const ProximalSchedule schedule{
      .inner_steps = {.base = 2, .rate = 0},
      .trajectories = {.base = 0, .rate = 1, .growth = RuleGrowth::kQuadratic},
      .horizon = {.base = 3, .rate = 0},
      .policy_trajectories = {.base = 0, .rate = 2, .growth = RuleGrowth::kQuadratic},
      .policy_horizon = {.base = 0, .rate = 0}};
  EXPECT_EQ(proximal_samples(schedule, 1), 20);
  EXPECT_EQ(proximal_samples(schedule, 2), 100);
  // 20 sum n^2 = 20 N (N + 1) (2 N + 1) / 6.
  EXPECT_EQ(proximal_samples(schedule, 1000), 20 * 1000.0 * 1001 * 2001 / 6);
  EXPECT_NEAR(proximal_samples(schedule, 1e9) / (20 * 1e9 * (1e9 + 1) * (2e9 + 1) / 6), 1, 1e-5);
  EXPECT_EQ(proximal_samples(schedule, kInfinity), kInfinity);
}

TEST(ProximalSamples, OfManyIterationsAreNearTheSumOfAllTerms) {
  const ProximalSchedule schedule = proximal_schedule(uncoupled_numbers(), kSettings);
  double sum = 0;
  for (double k = 0; k < 300000; ++k) {
    sum += 2 * count_at(schedule.inner_steps, k) *
           (count_at(schedule.trajectories, k) * count_at(schedule.horizon, k) +
            count_at(schedule.policy_trajectories, k) * count_at(schedule.policy_horizon, k));
  }
  EXPECT_NEAR(proximal_samples(schedule, 300000) / sum, 1, 1e-4);
}

TEST(ProximalSamples, OverflowToInfinityWithoutNan) {
  const ProximalSchedule schedule = proximal_schedule(uncoupled_numbers(), kSettings);
  EXPECT_EQ(proximal_samples(schedule, 1e200), kInfinity);
}

// l_theta = 6 sqrt 2, l_xi = 5: sqrt(72 + 25); B_gap = sqrt 97 + 267 * 5; c_delta = B_gap sqrt
// 0.75; 2 * 1e4 * 25 = 5e5; 4 * 668 + 400 = 3072.
TEST(ProximalBound, IsAsByHand) {
  const double c_delta = (std::sqrt(97.0) + 1335) * std::sqrt(0.75);
  EXPECT_DOUBLE_EQ(proximal_bound(uncoupled_numbers(), kSettings, 1), 5e5 + c_delta * 3072);
  EXPECT_DOUBLE_EQ(proximal_bound(uncoupled_numbers(), kSettings, 50),
                   5e5 / 50 + c_delta * 3072 * (1 + std::log(50.0)) / 50);
}

TEST(ProximalBound, FallsWithTheIterations) {
  double last = kInfinity;
  for (double k = 1; k < 1e12; k *= 3) {
    const double bound = proximal_bound(uncoupled_numbers(), kSettings, k);
    EXPECT_LT(bound, last);
    last = bound;
  }
}

TEST(ProximalBound, IsZeroForAFlatProblemOnOnePoint) {
  ProblemNumbers numbers = uncoupled_numbers();
  numbers.occupancy_gradient = numbers.occupancy_lipschitz = numbers.nature_gradient = 0;
  numbers.policy_diameter = numbers.nature_diameter = 0;
  EXPECT_EQ(proximal_bound(numbers, kSettings, 1), 0);
  EXPECT_EQ(proximal_bound(numbers, {.weight = 3, .step = 5e-324}, 1), 0);
}

TEST(ProximalBound, IsLargerInThePapersScale) {
  const ProximalSettings settings{.weight = 200, .step = 1e-4};
  EXPECT_GT(proximal_bound(easy_paper_numbers(), settings, 10),
            proximal_bound(easy_numbers(), settings, 10));
}

TEST(ProximalIterations, AreTheSmallestThatReachTheAccuracy) {
  for (const double accuracy : {1e6, 1e3, 1.0, 1e-3}) {
    const double k = proximal_iterations(uncoupled_numbers(), kSettings, accuracy);
    EXPECT_EQ(k, std::floor(k));
    EXPECT_LE(proximal_bound(uncoupled_numbers(), kSettings, k), accuracy);
    ASSERT_GT(k, 1);
    EXPECT_GT(proximal_bound(uncoupled_numbers(), kSettings, k - 1), accuracy);
  }
  EXPECT_EQ(proximal_iterations(uncoupled_numbers(), kSettings, 1e8), 1);
}

TEST(ProximalIterations, MayBeAstronomicalOrInfinite) {
  const double k = proximal_iterations(uncoupled_numbers(), kSettings, 1e-100);
  EXPECT_GT(k, 1e106);
  EXPECT_LT(k, 1e112);
  EXPECT_LE(proximal_bound(uncoupled_numbers(), kSettings, k), 1e-100);
  EXPECT_EQ(proximal_iterations(uncoupled_numbers(), kSettings, 1e-307), kInfinity);
}

TEST(ProximalPlan, IsTheIterationsTheScheduleAndTheirSamples) {
  const ProximalPlan plan = proximal_plan(uncoupled_numbers(), kSettings, 1e3);
  EXPECT_EQ(plan.iterations, proximal_iterations(uncoupled_numbers(), kSettings, 1e3));
  EXPECT_EQ(plan.schedule.horizon, proximal_schedule(uncoupled_numbers(), kSettings).horizon);
  EXPECT_EQ(plan.samples, proximal_samples(plan.schedule, plan.iterations));
  EXPECT_GT(plan.samples, 0);
}

TEST(ProximalTheory, RefusesNumbersOutOfRange) {
  const auto refused = [](const ProximalSettings& settings, const std::string& part) {
    expect_invalid([&] { proximal_schedule(easy_numbers(), settings); }, part);
    expect_invalid([&] { proximal_bound(easy_numbers(), settings, 1); }, part);
    expect_invalid([&] { proximal_iterations(easy_numbers(), settings, 1); }, part);
    expect_invalid([&] { proximal_plan(easy_numbers(), settings, 1); }, part);
  };
  refused({.weight = 0, .step = 1}, "proximal weight is 0");
  refused({.weight = kInfinity, .step = 1}, "proximal weight is inf");
  refused({.weight = 1, .step = 0}, "step is 0");
  refused({.weight = 1, .step = 1, .optimisation_constant = 0}, "optimisation_constant is 0");
  refused({.weight = 1, .step = 1, .sampling_constant = -1}, "sampling_constant is -1");

  ProblemNumbers bad = easy_numbers();
  bad.actions = 0;
  expect_invalid([&] { largest_proximal_step(bad, 1); }, "actions is 0");
  expect_invalid([&] { admissible_proximal_settings(bad); }, "actions is 0");
  expect_invalid([&] { proximal_schedule(bad, kSettings); }, "actions is 0");
  expect_invalid([&] { proximal_bound(bad, kSettings, 1); }, "actions is 0");
  expect_invalid([] { largest_proximal_step(easy_numbers(), kNan); }, "proximal weight is nan");

  expect_invalid([] { proximal_bound(easy_numbers(), kSettings, 0); }, "iterations is 0");
  expect_invalid([] { proximal_bound(easy_numbers(), kSettings, kInfinity); }, "iterations is inf");
  expect_invalid([] { proximal_samples({}, 2.5); }, "iterations is 2.5");
  for (const double accuracy : {0.0, -1.0, kInfinity, kNan}) {
    expect_invalid([&] { proximal_iterations(easy_numbers(), kSettings, accuracy); },
                   "accuracy is");
  }
  expect_invalid([] { count_at({}, -1); }, "iteration is -1");
  expect_invalid([] { count_at({}, kNan); }, "iteration is nan");
  expect_invalid([] { count_at({.base = -kInfinity}, 0); }, "base of a count is -inf");
  expect_invalid([] { count_at({.base = kNan}, 0); }, "base of a count is nan");
  expect_invalid([] { count_at({.rate = -1}, 0); }, "rate of a count is -1");
}

}  // namespace
}  // namespace rgu
