#include "rgu/solver/occupancy_pgda.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "rgu/base/check.hpp"
#include "rgu/solver/start.hpp"

namespace rgu {
namespace {

void begin_average(const SaddleProblem& problem, SolverState& state) {
  if (state.iteration == 0) state.average = state.point;
  check_size("average of the policy parameters", state.average.policy.size(),
             problem.policies.dimension());
  check_size("average of the nature parameters", state.average.nature.size(),
             problem.ambiguity.dimension());
}

// The mean of k points, and then of one more.
void average_in(Vector& mean, const Vector& point, Index k) {
  if (k == 0) {
    mean = point;
  } else {
    mean += (point - mean) / static_cast<double>(k + 1);
  }
}

// One player: where it may move, and how far.
struct Player {
  const ConvexSet& set;
  StepSize given;
  double diameter;

  // D / sqrt(2 sum_{i<=k} |g_i|^2) from the same with k-1, which is 0 while every g_i was 0: the
  // inverse squares of such steps add up.
  double step(const Vector& gradient, double& last) const {
    if (given) return *given;
    const double size = std::numbers::sqrt2 * gradient.norm();
    if (size > 0) {
      const double alone = diameter / size;
      last = last > 0 ? 1 / std::hypot(1 / last, 1 / alone) : alone;
    }
    return last;
  }

  // proj(from + direction); numbers that are not finite stay, and the loop undoes them.
  Vector moved(const Vector& from, const Vector& direction) const {
    Vector to = from + direction;
    return to.allFinite() ? set.project(to) : to;
  }
};

}  // namespace

SolverResult occupancy_pgda(const SaddleProblem& problem, SolverState state,
                            const OccupancyPgdaOptions& options, const StopRule& stop,
                            const Observer& observe) {
  check_stop_rule(stop);
  check_step("policy step", options.policy_step);
  check_step("nature step", options.nature_step);
  begin(problem, state);
  begin_average(problem, state);
  const Player policy{problem.policies, options.policy_step, problem.policies.diameter()};
  const Player nature{problem.ambiguity, options.nature_step, problem.ambiguity.diameter()};
  const bool sees_new = options.order == NatureOrder::kNew;

  const Status status = run(stop, state, observe, [&](SolverState& next) {
    SaddlePoint& z = next.point;
    SaddleGradient g = sees_new ? problem.oracle.estimate_nature(z, next.rng)
                                : problem.oracle.estimate(z, next.rng);
    next.samples += g.samples;
    const double beta = nature.step(g.nature, next.nature_step);
    Vector xi = nature.moved(z.nature, beta * g.nature);
    if (!xi.allFinite()) return StepReport{.objective = std::numeric_limits<double>::quiet_NaN()};
    if (sees_new) {
      z.nature = xi;
      g = problem.oracle.estimate(z, next.rng);
      next.samples += g.samples;
    }
    average_in(next.average.policy, z.policy, next.iteration);
    average_in(next.average.nature, z.nature, next.iteration);
    const double eta = policy.step(g.policy, next.policy_step.step);
    z.policy = policy.moved(z.policy, -eta * g.policy);
    z.nature = std::move(xi);
    return StepReport{.objective = g.value, .policy_step = eta, .nature_step = beta};
  });
  return {.status = status, .state = std::move(state)};
}

}  // namespace rgu
