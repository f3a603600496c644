#include "rgu/theory/descent_ascent.hpp"

#include <algorithm>
#include <cmath>

#include "rgu/base/check.hpp"
#include "rgu/theory/bounds_arithmetic.hpp"

namespace rgu {
namespace {

void check_run(const DescentRun& run) {
  check_iterations(run.iterations);
  check_positive("policy_step", run.policy_step);
  check_bound("initial_excess", run.initial_excess);
  check_bound("policy_error", run.policy_error);
}

// The part that both theorems share; squared_bias bounds |grad_theta f at xi - grad Gamma|^2.
double descent_bound(const ProblemNumbers& numbers, const DescentRun& run, double squared_bias) {
  if (run.policy_step > largest_pgda_steps(numbers).policy) return kUnbounded;
  return 8 * run.initial_excess / run.policy_step / run.iterations + 20 * run.policy_error +
         20 * squared_bias;
}

}  // namespace

DescentAscentSteps largest_pgda_steps(const ProblemNumbers& numbers) {
  const SaddleConstants constants = saddle_constants(numbers);
  return {.policy = bound_quotient(1, constants.envelope),
          .nature = bound_quotient(1, constants.nature_nature)};
}

double pgda_bound(const ProblemNumbers& numbers, const DescentRun& run,
                  double mean_squared_residual) {
  check_run(run);
  check_bound("mean_squared_residual", mean_squared_residual);
  const double slope =
      bound_quotient(saddle_constants(numbers).policy_nature, numbers.strong_concavity);
  // On a single point every gradient lies in the normal cone: there is no residual.
  const double residual = numbers.nature_diameter == 0 ? 0 : mean_squared_residual;
  return descent_bound(numbers, run, bound_product(squared(slope), residual));
}

double euclidean_reach(const LpBallNumbers& ball) {
  check(ball.p >= 1, "p is {}, must be at least 1 (infinity allowed)", ball.p);
  check_nonnegative("radius", ball.radius);
  check_count("dimension", ball.dimension);
  return std::pow(static_cast<double>(ball.dimension), std::max(0.0, 0.5 - 1 / ball.p));
}

double lp_value_gap(const ProblemNumbers& numbers, const LpBallNumbers& ball) {
  check_problem_numbers(numbers);
  const double reach = euclidean_reach(ball) * ball.radius;
  if (!numbers.concave_in_nature && reach > 0) return kUnbounded;
  return bound_product(numbers.nature_lipschitz / 2, squared(reach));
}

double pgda_lp_bound(const ProblemNumbers& numbers, const DescentRun& run,
                     const LpBallNumbers& ball) {
  check_run(run);
  const double value_gap = lp_value_gap(numbers, ball);
  // Strong concavity: (mu/2) |xi_hat - xi*|^2 <= value_gap.
  const double squared_distance = bound_quotient(2 * value_gap, numbers.strong_concavity);
  return descent_bound(
      numbers, run,
      bound_product(squared(saddle_constants(numbers).policy_nature), squared_distance));
}

DescentAscentSteps occupancy_steps(const ProblemNumbers& numbers, double iterations) {
  check_problem_numbers(numbers);
  check_iterations(iterations);
  const double root = std::sqrt(iterations);
  const auto step = [&](double diameter, double gradient) {
    return std::isinf(gradient) ? 0 : bound_quotient(diameter, gradient * root);
  };
  return {.policy = step(numbers.occupancy_diameter, numbers.occupancy_gradient),
          .nature = step(numbers.nature_diameter, numbers.nature_gradient)};
}

double occupancy_gap_bound(const ProblemNumbers& numbers, const DescentAscentSteps& steps,
                           double iterations) {
  check_problem_numbers(numbers);
  check_iterations(iterations);
  check_bound("policy step", steps.policy);
  check_bound("nature step", steps.nature);
  const bool concave = numbers.concave_in_nature || numbers.nature_diameter == 0;
  if (!numbers.convex_in_occupancy || !concave) return kUnbounded;
  const auto regret = [&](double diameter, double gradient, double step) {
    // A player that cannot move has no regret.
    if (diameter == 0) return 0.0;
    return bound_quotient(squared(diameter), 2 * step * iterations) +
           bound_product(step / 2, squared(gradient));
  };
  return regret(numbers.occupancy_diameter, numbers.occupancy_gradient, steps.policy) +
         regret(numbers.nature_diameter, numbers.nature_gradient, steps.nature);
}

}  // namespace rgu
