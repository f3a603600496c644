#include "rgu/solver/pgda.hpp"

#include <algorithm>
#include <limits>

#include "rgu/base/check.hpp"
#include "rgu/solver/start.hpp"

namespace rgu {
namespace {

constexpr double kLargestNatureMove = 0.25;  // of the diameter of the ambiguity set, in one step

// theta <- proj(theta - eta g_theta); both players' new places are in `state`.
StepReport descend(const SaddleProblem& problem, const StepSize& given, SolverState& state) {
  const Rng::State before = state.rng.state();
  const SaddleGradient g = problem.oracle.estimate(state.point, state.rng);
  state.samples += g.samples;
  if (!g.policy.allFinite()) return {.objective = std::numeric_limits<double>::quiet_NaN()};
  const double eta = given ? *given
                           : automatic_step({.iteration = state.iteration,
                                             .point = state.point.policy,
                                             .gradient = g.policy,
                                             .exact = before == state.rng.state()},
                                            state.policy_step);
  const Vector next = state.point.policy - eta * g.policy;
  if (!next.allFinite()) return {.objective = std::numeric_limits<double>::quiet_NaN()};
  state.point.policy = problem.policies.project(next);
  return {.objective = g.value, .policy_step = eta};
}

// The shared outer iteration: `answer` moves nature, then the policy descends.
template <class Answer>
SolverResult alternate(const SaddleProblem& problem, SolverState state, const StepSize& policy_step,
                       const StopRule& stop, const Observer& observe, Answer answer) {
  check_stop_rule(stop);
  check_step("policy step", policy_step);
  begin(problem, state);
  const Status status = run(stop, state, observe, [&](SolverState& next) {
    const double nature_step = answer(next);
    if (!next.point.nature.allFinite()) {
      return StepReport{.objective = std::numeric_limits<double>::quiet_NaN()};
    }
    StepReport report = descend(problem, policy_step, next);
    report.nature_step = nature_step;
    return report;
  });
  return {.status = status, .state = std::move(state)};
}

// The step of projected ascent on xi, from the gradients met on the way.
class AscentStep {
 public:
  AscentStep(const StepSize& given, double diameter) : given_(given), diameter_(diameter) {}

  double next(const Vector& point, const Vector& gradient) {
    if (given_) return *given_;
    const double size = gradient.norm();
    double step = size > 0 ? kLargestNatureMove * diameter_ / size : 0.0;
    if (point_.size() > 0) {
      const double moved = (point - point_).norm();
      const double changed = (gradient - gradient_).norm();
      if (moved > 0 && changed > 0) step = std::min(step, moved / changed);
    }
    point_ = point;
    gradient_ = gradient;
    return step;
  }

 private:
  StepSize given_;
  double diameter_;
  Vector point_;
  Vector gradient_;
};

// T steps xi <- proj(xi + beta g_xi), from gradient(xi). Returns the last beta.
template <class Gradient>
double ascend(const ConvexSet& ambiguity, const AscentOptions& options, Vector& xi,
              Gradient gradient) {
  AscentStep rule(options.nature_step, ambiguity.diameter());
  double beta = options.nature_step.value_or(0);
  for (Index t = 0; t < options.inner_steps; ++t) {
    const Vector g = gradient(xi);
    beta = rule.next(xi, g);
    const Vector next = xi + beta * g;
    if (!next.allFinite()) {
      xi = next;  // undone by the loop
      break;
    }
    xi = ambiguity.project(next);
  }
  return beta;
}

void check_ascent(const AscentOptions& options) {
  check_step("nature step", options.nature_step);
  check_count("inner steps", options.inner_steps, 0);
}

}  // namespace

SolverResult pgda(const SaddleProblem& problem, SolverState state, const PgdaOptions& options,
                  const StopRule& stop, const Observer& observe) {
  const AscentOptions ascent{.nature_step = options.nature_step,
                             .inner_steps = options.inner_steps};
  check_ascent(ascent);
  return alternate(
      problem, std::move(state), options.policy_step, stop, observe, [&](SolverState& next) {
        return ascend(problem.ambiguity, ascent, next.point.nature, [&](const Vector&) {
          SaddleGradient g = problem.oracle.estimate_nature(next.point, next.rng);
          next.samples += g.samples;
          return std::move(g.nature);
        });
      });
}

SolverResult pgda(PolicyPlayer& player, const ConvexSet& ambiguity, SolverState state,
                  const AscentOptions& options, const StopRule& stop, const Observer& observe) {
  check_stop_rule(stop);
  check_ascent(options);
  check_size("policy parameters", state.point.policy.size(), 0);
  check_size("nature parameters", state.point.nature.size(), ambiguity.dimension());
  if (state.iteration == 0) {
    state.point.nature = ambiguity.project(state.point.nature);
    state.drawn = state.point;
  }
  const Status status = run(stop, state, observe, [&](SolverState& next) {
    next.samples += player.draw(next.iteration);
    Vector& xi = next.point.nature;
    const double beta = ascend(ambiguity, options, xi,
                               [&](const Vector& at) { return player.nature_gradient(at).nature; });
    StepReport report{.objective = std::numeric_limits<double>::quiet_NaN(), .nature_step = beta};
    if (xi.allFinite()) report.objective = player.descend(xi);
    return report;
  });
  return {.status = status, .state = std::move(state)};
}

SolverResult pgda_lp(const SaddleProblem& problem, SolverState state, const DescentOptions& options,
                     const StopRule& stop, const Observer& observe) {
  const Vector centre =
      problem.ambiguity.support_point(Vector::Zero(problem.ambiguity.dimension()));
  return alternate(problem, std::move(state), options.policy_step, stop, observe,
                   [&](SolverState& next) {
                     const SaddlePoint at{.policy = next.point.policy, .nature = centre};
                     const SaddleGradient g = problem.oracle.estimate_nature(at, next.rng);
                     next.samples += g.samples;
                     if (g.nature.allFinite()) {
                       next.point.nature = problem.ambiguity.support_point(g.nature);
                     } else {
                       next.point.nature = g.nature;  // undone by the loop
                     }
                     return 0.0;
                   });
}

SolverResult pgda_worst_case(const SaddleProblem& problem, const WorstCaseOracle& worst_case,
                             SolverState state, const DescentOptions& options, const StopRule& stop,
                             const Observer& observe) {
  check(static_cast<bool>(worst_case), "worst-case oracle: there is none");
  return alternate(problem, std::move(state), options.policy_step, stop, observe,
                   [&](SolverState& next) {
                     NatureAnswer answer = worst_case(next.point, next.rng);
                     check_size("worst case", answer.nature.size(), problem.ambiguity.dimension());
                     next.samples += answer.samples;
                     next.point.nature = std::move(answer.nature);
                     return 0.0;
                   });
}

}  // namespace rgu
