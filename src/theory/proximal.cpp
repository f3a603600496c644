#include "rgu/theory/proximal.hpp"

#include <algorithm>
#include <cmath>

#include "rgu/base/check.hpp"
#include "rgu/theory/bounds_arithmetic.hpp"

namespace rgu {
namespace {

constexpr double kFactorShare = 0.125;    // of the decay of H', spent on (1 + H'(1-g))^2
constexpr double kExactTerms = 65536;     // of a sum over k
constexpr double kBlocksPerScale = 1024;  // a block of later terms is this part of its first k
constexpr double kMostIterations = 1e300;

void check_settings(const ProximalSettings& settings) {
  check_positive("proximal weight", settings.weight);
  check_positive("step", settings.step);
  check_positive("optimisation_constant", settings.optimisation_constant);
  check_positive("sampling_constant", settings.sampling_constant);
}

// sigma - L_F where the theorem applies, 0 where it does not.
double monotonicity(const ProblemNumbers& numbers, const ProximalSettings& settings) {
  const double field = saddle_constants(numbers).field;
  if (settings.weight <= field) return 0;
  if (settings.step > largest_proximal_step(numbers, settings.weight)) return 0;
  return settings.weight - field;
}

double joint_diameter(const ProblemNumbers& numbers) {
  return std::hypot(numbers.policy_diameter, numbers.nature_diameter);
}

CountRule log_rule(double base, double rate) {
  if (std::isinf(base) || std::isinf(rate)) base = rate = kUnbounded;
  return {.base = base, .rate = rate, .growth = RuleGrowth::kLog};
}

// Iterations that bring `start` down to 1/(k+1)^2 when each multiplies it by exp(-decay).
CountRule decay_rule(double start, double decay) {
  if (start == 0) return log_rule(0, 0);
  return log_rule(std::log(start) / decay, 2 / decay);
}

CountRule quadratic_rule(double rate) {
  return {.base = 0, .rate = rate, .growth = RuleGrowth::kQuadratic};
}

// Max over x >= 0 of (1 + a x) exp(-b x): at x = 1/b - 1/a if that is positive, else at 0.
double largest_affine_decay(double a, double b) { return b >= a ? 1 : a / b * std::exp(b / a - 1); }

CountRule policy_horizon_rule(double start, double discount) {
  const double decay = std::log(1 / discount);
  const double peak = largest_affine_decay(1 - discount, kFactorShare * decay);
  return decay_rule(start * squared(peak), 2 * (1 - kFactorShare) * decay);
}

// As decay_rule from distance^2 to goal/(k+1)^2, but never below the steps of a distance^2 = goal.
CountRule inner_steps_rule(double distance, double goal, double decay) {
  const double excess = 2 * std::max(0.0, std::log(distance) - std::log(goal) / 2);
  return log_rule(bound_quotient(excess, decay), bound_quotient(2, decay));
}

double grown(RuleGrowth growth, double k) {
  return growth == RuleGrowth::kLog ? std::log(k + 1) : squared(k + 1);
}

double samples_at(const ProximalSchedule& schedule, double k) {
  const double one =
      count_at(schedule.trajectories, k) * count_at(schedule.horizon, k) +
      count_at(schedule.policy_trajectories, k) * count_at(schedule.policy_horizon, k);
  return 2 * count_at(schedule.inner_steps, k) * one;
}

}  // namespace

double largest_proximal_step(const ProblemNumbers& numbers, double weight) {
  check_positive("proximal weight", weight);
  return 1 / (4 * (saddle_constants(numbers).field + weight));
}

std::optional<ProximalSettings> admissible_proximal_settings(const ProblemNumbers& numbers) {
  const double field = saddle_constants(numbers).field;
  const double weight = field == 0 ? 1 : 2 * field;
  if (std::isinf(weight)) return std::nullopt;
  return ProximalSettings{.weight = weight, .step = largest_proximal_step(numbers, weight)};
}

double count_at(const CountRule& rule, double k) {
  check(rule.base > -kUnbounded, "base of a count is {}, must be above -infinity", rule.base);
  check_bound("rate of a count", rule.rate);
  check(k >= 0, "iteration is {}, must be >= 0", k);
  return std::max(1.0, std::ceil(rule.base + bound_product(rule.rate, grown(rule.growth, k))));
}

ProximalSchedule proximal_schedule(const ProblemNumbers& numbers,
                                   const ProximalSettings& settings) {
  check_settings(settings);
  const double mu = monotonicity(numbers, settings);
  if (mu == 0) {
    const CountRule never = log_rule(kUnbounded, kUnbounded);
    return {never, never, never, never, never};
  }
  const ErrorCoefficients errors = error_coefficients(numbers);
  const double goal = mu * mu * settings.sampling_constant / 64;
  const double g = numbers.discount;
  return {.inner_steps = inner_steps_rule(joint_diameter(numbers), settings.optimisation_constant,
                                          settings.step * mu / 2),
          .trajectories = quadratic_rule(bound_quotient(errors.trajectories, goal)),
          .horizon = decay_rule(bound_quotient(errors.horizon, goal), 2 * std::log(1 / g)),
          .policy_trajectories = quadratic_rule(bound_quotient(errors.policy_trajectories, goal)),
          .policy_horizon = policy_horizon_rule(bound_quotient(errors.policy_horizon, goal), g)};
}

double proximal_samples(const ProximalSchedule& schedule, double iterations) {
  if (iterations == kUnbounded) return kUnbounded;
  check_iterations(iterations);
  double sum = 0;
  for (double k = 0; k < std::min(iterations, kExactTerms); ++k) sum += samples_at(schedule, k);
  // The terms grow slowly within a block: the mean of its first and last stands for all.
  for (double k = kExactTerms; k < iterations && std::isfinite(sum);) {
    const double end = std::min(iterations, k + std::floor(k / kBlocksPerScale));
    sum += (end - k) * (samples_at(schedule, k) + samples_at(schedule, end - 1)) / 2;
    k = end;
  }
  return sum;
}

double proximal_bound(const ProblemNumbers& numbers, const ProximalSettings& settings,
                      double iterations) {
  check_settings(settings);
  check_iterations(iterations);
  if (monotonicity(numbers, settings) == 0) return kUnbounded;
  const SaddleConstants constants = saddle_constants(numbers);
  const double sigma = settings.weight;
  const double d = joint_diameter(numbers);
  const double gap_slope = std::hypot(constants.policy_gradient, numbers.nature_gradient) +
                           (constants.field + 2 * sigma) * d;
  const double c_delta = bound_product(
      gap_slope, std::sqrt(settings.optimisation_constant + settings.sampling_constant));
  return 2 * squared(sigma * d) / iterations +
         bound_product(c_delta, 4 / settings.step + 4 * sigma) *
             ((1 + std::log(iterations)) / iterations);
}

double proximal_iterations(const ProblemNumbers& numbers, const ProximalSettings& settings,
                           double accuracy) {
  check_positive("accuracy", accuracy);
  // The bound never rises with K.
  const auto suffices = [&](double k) { return proximal_bound(numbers, settings, k) <= accuracy; };
  if (suffices(1)) return 1;
  double low = 1;
  double high = 2;
  while (!suffices(high)) {
    low = high;
    high *= 2;
    if (high > kMostIterations) return kUnbounded;
  }
  while (high - low > 1) {
    const double middle = std::floor(low + (high - low) / 2);
    if (middle <= low || middle >= high) break;  // neighbours among doubles
    (suffices(middle) ? high : low) = middle;
  }
  return high;
}

ProximalPlan proximal_plan(const ProblemNumbers& numbers, const ProximalSettings& settings,
                           double accuracy) {
  ProximalPlan plan{.iterations = proximal_iterations(numbers, settings, accuracy),
                    .schedule = proximal_schedule(numbers, settings)};
  plan.samples = proximal_samples(plan.schedule, plan.iterations);
  return plan;
}

}  // namespace rgu
