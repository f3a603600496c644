#include "rgu/theory/constants.hpp"

#include <cmath>

#include "rgu/base/check.hpp"
#include "rgu/theory/bounds_arithmetic.hpp"

namespace rgu {
namespace {

// What the starred constants of the paper lose as bounds on the derivative.
double scale_factor(const ProblemNumbers& numbers) {
  return numbers.scale == ConstantScale::kPaper ? 1 : 1 - numbers.discount;
}

// Largest singular value of [[a, b], [c, d]], entries >= 0: the closed form for 2 x 2, which
// neither cancels nor overflows.
double spectral_norm(double a, double b, double c, double d) {
  if (std::isinf(a) || std::isinf(b) || std::isinf(c) || std::isinf(d)) return kUnbounded;
  return (std::hypot(a + d, b - c) + std::hypot(a - d, b + c)) / 2;
}

double envelope_lipschitz(const ProblemNumbers& numbers, const SaddleConstants& constants) {
  if (numbers.nature_diameter == 0) return constants.policy_policy;
  const double through_nature = bound_product(constants.policy_nature, constants.nature_policy);
  return constants.policy_policy + bound_quotient(through_nature, numbers.strong_concavity);
}

// 3 l_pi^2 / (1-g)^4, the common factor of E_theta.
double policy_error_factor(const ProblemNumbers& numbers) {
  return 3 * squared(scale_factor(numbers) * numbers.policy_lipschitz) /
         squared(squared(1 - numbers.discount));
}

void check_concavity(const ProblemNumbers& numbers) {
  const double mu = numbers.strong_concavity;
  check_nonnegative("strong_concavity", mu);
  if (mu == 0) return;
  check(numbers.concave_in_nature, "strong_concavity is {}, must be 0 where f is not concave in xi",
        mu);
  check(mu <= numbers.nature_lipschitz || numbers.nature_diameter == 0,
        "strong_concavity is {}, must be at most nature_lipschitz, which is {}", mu,
        numbers.nature_lipschitz);
}

}  // namespace

void check_problem_numbers(const ProblemNumbers& numbers) {
  check(numbers.discount > 0 && numbers.discount < 1,
        "discount is {}, must lie strictly between 0 and 1", numbers.discount);
  check_count("states", numbers.states);
  check_count("actions", numbers.actions);
  check_bound("policy_lipschitz", numbers.policy_lipschitz);
  check_bound("policy_smoothness", numbers.policy_smoothness);
  check_bound("occupancy_gradient", numbers.occupancy_gradient);
  check_bound("occupancy_lipschitz", numbers.occupancy_lipschitz);
  check_bound("nature_gradient", numbers.nature_gradient);
  check_bound("nature_lipschitz", numbers.nature_lipschitz);
  check_bound("cross_lipschitz", numbers.cross_lipschitz);
  check_bound("policy_diameter", numbers.policy_diameter);
  check_bound("nature_diameter", numbers.nature_diameter);
  check_bound("occupancy_diameter", numbers.occupancy_diameter);
  check_concavity(numbers);
}

SaddleConstants saddle_constants(const ProblemNumbers& numbers) {
  check_problem_numbers(numbers);
  const double rest = 1 - numbers.discount;
  const double star = scale_factor(numbers);
  const double l_pi = numbers.policy_lipschitz;
  const double l_lambda = numbers.occupancy_gradient;
  const double root_actions = std::sqrt(static_cast<double>(numbers.actions));

  SaddleConstants out;
  out.policy_gradient = star * bound_product(l_pi, l_lambda) / squared(rest);
  const double curvature = numbers.occupancy_lipschitz * root_actions + 2 * l_lambda;
  out.policy_policy = star * (bound_product(squared(l_pi), curvature) / (rest * rest * rest) +
                              bound_product(numbers.policy_smoothness, l_lambda) / squared(rest));
  out.policy_nature = star * bound_product(l_pi, numbers.cross_lipschitz) / squared(rest);
  out.nature_policy = bound_product(l_pi, numbers.cross_lipschitz) * root_actions / rest;
  out.nature_nature = numbers.nature_lipschitz;
  out.envelope = envelope_lipschitz(numbers, out);
  out.field =
      spectral_norm(out.policy_policy, out.policy_nature, out.nature_policy, out.nature_nature);
  return out;
}

ErrorCoefficients error_coefficients(const ProblemNumbers& numbers) {
  check_problem_numbers(numbers);
  const double factor = policy_error_factor(numbers);
  const double pairs = static_cast<double>(numbers.states) * static_cast<double>(numbers.actions);
  const double occupancy = bound_product(factor, squared(numbers.occupancy_lipschitz) * pairs) +
                           squared(numbers.cross_lipschitz);
  const double score = bound_product(factor, squared(numbers.occupancy_gradient));
  return {.trajectories = occupancy,
          .horizon = occupancy,
          .policy_trajectories = score,
          .policy_horizon = score};
}

EstimationErrors estimation_errors(const ProblemNumbers& numbers, const SampleBudget& budget) {
  check_problem_numbers(numbers);
  check_count("trajectories", budget.trajectories);
  check_count("horizon", budget.horizon);
  check_count("policy_trajectories", budget.policy_trajectories);
  check_count("policy_horizon", budget.policy_horizon);
  const double g = numbers.discount;
  const auto h = static_cast<double>(budget.horizon);
  const auto h_policy = static_cast<double>(budget.policy_horizon);
  const double pairs = static_cast<double>(numbers.states) * static_cast<double>(numbers.actions);

  // Mean squared errors of lambda_hat, and of the score part for a cost of norm 1.
  const double occupancy = 1 / static_cast<double>(budget.trajectories) + std::pow(g, 2 * h);
  const double score = 1 / static_cast<double>(budget.policy_trajectories) +
                       squared(1 + h_policy * (1 - g)) * std::pow(g, 2 * h_policy);
  return {.policy = bound_product(policy_error_factor(numbers),
                                  squared(numbers.occupancy_lipschitz) * pairs * occupancy +
                                      squared(numbers.occupancy_gradient) * score),
          .nature = squared(numbers.cross_lipschitz) * occupancy};
}

}  // namespace rgu
