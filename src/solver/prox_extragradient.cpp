#include "rgu/solver/prox_extragradient.hpp"

#include <algorithm>
#include <cmath>

#include "rgu/base/check.hpp"
#include "rgu/solver/start.hpp"
#include "rgu/solver/stationarity.hpp"
#include "rgu/solver/step_rule.hpp"

namespace rgu {
namespace {

constexpr double kAcceptance = 0.5;      // of the test of a prediction
constexpr double kGrowth = 1.1;          // of alpha after an accepted step
constexpr int kLargestBacktracks = 100;  // alpha has then shrunk by more than 1e-50

double distance(const SaddlePoint& a, const SaddlePoint& b) {
  return std::hypot((a.policy - b.policy).norm(), (a.nature - b.nature).norm());
}

double distance(const SaddleGradient& a, const SaddleGradient& b) {
  return std::hypot((a.policy - b.policy).norm(), (a.nature - b.nature).norm());
}

bool all_finite(const SaddleGradient& g) {
  return std::isfinite(g.value) && g.policy.allFinite() && g.nature.allFinite();
}

double first_step(const SaddleGradient& g) {
  const double policy = g.policy.lpNorm<Eigen::Infinity>();
  const double nature = g.nature.size() > 0 ? g.nature.lpNorm<Eigen::Infinity>() : 0.0;
  const double largest = std::max(policy, nature);
  return largest > 0 ? kFirstMove / largest : 1.0;
}

// One outer iteration: its oracle, its anchor, its step and its weight.
class Subproblem {
 public:
  Subproblem(const SaddleProblem& problem, const ProxExtragradientOptions& options,
             SolverState& state)
      : problem_(problem),
        options_(options),
        oracle_(options.oracle_at ? options.oracle_at(state.iteration) : problem.oracle),
        state_(state),
        anchor_(state.point),
        calibrating_(state.iteration < kCalibration),
        alpha_(options.step.value_or(state.extragradient)) {}

  bool is_sound() const { return is_sound_; }
  double alpha() const { return alpha_; }

  StepReport report() const {
    return {.objective = is_sound_ ? objective_ : std::nan(""),
            .policy_step = alpha_,
            .nature_step = alpha_,
            .proximal_weight = weight_.value_or(0)};
  }

  void inner_step() {
    SaddlePoint& z = state_.point;
    const Rng stream = state_.rng;
    const SaddleGradient at_z = estimate(z, state_.rng);
    const bool exact = stream.state() == state_.rng.state();
    const bool adapts = !options_.step && (exact || calibrating_);
    settle(at_z);
    SaddlePoint predicted = moved(z, z, at_z);
    SaddleGradient there = estimate(predicted, state_.rng);
    for (int i = 0; adapts && is_sound_ && i < kLargestBacktracks; ++i) {
      const double excess =
          test(z, predicted, at_z, exact ? there : with_stream(predicted, stream));
      if (!(excess > 1)) break;
      alpha_ *= std::max(0.3, 0.9 / excess);
      predicted = moved(z, z, at_z);
      there = estimate(predicted, state_.rng);
    }
    objective_ = there.value;
    if (!is_sound_) return;
    const SaddlePoint corrected = moved(z, predicted, there);
    // A step that the sets hold in place measures nothing.
    if (adapts && distance(z, corrected) > 0) alpha_ *= kGrowth;
    if (is_sound_) z = corrected;
  }

 private:
  // proj(from -+ alpha F_k(at)), with the gradients g of f at `at`.
  SaddlePoint moved(const SaddlePoint& from, const SaddlePoint& at, const SaddleGradient& g) {
    const SaddleGradient pulled = proximal_gradient(at, g, {.anchor = anchor_, .weight = *weight_});
    const Vector policy = from.policy - alpha_ * pulled.policy;
    const Vector nature = from.nature + alpha_ * pulled.nature;
    is_sound_ = is_sound_ && policy.allFinite() && nature.allFinite();
    if (!is_sound_) return from;
    return {.policy = problem_.policies.project(policy),
            .nature = problem_.ambiguity.project(nature)};
  }

  // alpha |F(z) - F(z~)| over what is accepted.
  double test(const SaddlePoint& z, const SaddlePoint& predicted, const SaddleGradient& at_z,
              const SaddleGradient& there) const {
    const double move = distance(z, predicted);
    return move > 0 ? alpha_ * distance(at_z, there) / (kAcceptance * move) : 0.0;
  }

  // The gradient at the prediction with the random numbers of the gradient at z.
  SaddleGradient with_stream(const SaddlePoint& at, Rng stream) { return estimate(at, stream); }

  SaddleGradient estimate(const SaddlePoint& at, Rng& rng) {
    SaddleGradient g = oracle_.estimate(at, rng);
    state_.samples += g.samples;
    is_sound_ = is_sound_ && all_finite(g);
    return g;
  }

  // The automatic choices, once there is a gradient to make them from.
  void settle(const SaddleGradient& g) {
    if (alpha_ == 0) alpha_ = first_step(g);
    if (!weight_) weight_ = options_.proximal_weight.value_or(kProximalShare / alpha_);
  }

  const SaddleProblem& problem_;
  const ProxExtragradientOptions& options_;
  const GradientOracle& oracle_;
  SolverState& state_;
  SaddlePoint anchor_;  // z_k
  bool calibrating_;
  double alpha_;
  std::optional<double> weight_ = std::nullopt;  // sigma
  double objective_ = 0;                         // f at the last prediction
  bool is_sound_ = true;
};

StepReport outer_iteration(const SaddleProblem& problem, const ProxExtragradientOptions& options,
                           SolverState& state) {
  Subproblem subproblem(problem, options, state);
  const Index steps = options.inner_steps.at(state.iteration);
  for (Index t = 0; t < steps && subproblem.is_sound(); ++t) subproblem.inner_step();
  state.extragradient = subproblem.alpha();
  return subproblem.report();
}

}  // namespace

SolverResult prox_extragradient(const SaddleProblem& problem, SolverState state,
                                const ProxExtragradientOptions& options, const StopRule& stop,
                                const Observer& observe) {
  check_stop_rule(stop);
  check_step("step", options.step);
  check_schedule("inner steps", options.inner_steps);
  if (options.proximal_weight) check_nonnegative("proximal weight", *options.proximal_weight);
  begin(problem, state);
  const Status status = run(stop, state, observe, [&](SolverState& next) {
    return outer_iteration(problem, options, next);
  });
  return {.status = status, .state = std::move(state)};
}

}  // namespace rgu
