// The only iteration loop in the project, shared by every solver.
#pragma once

#include <chrono>
#include <cmath>
#include <concepts>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "rgu/solver/state.hpp"
#include "rgu/solver/status.hpp"

namespace rgu {

// The first limit that is reached ends the run.
struct StopRule {
  Index iterations = 300;
  std::optional<Index> samples = {};    // transitions drawn
  std::optional<double> seconds = {};   // of wall time, over all resumptions
  std::optional<double> residual = {};  // R_GM at most this
};

// Throws InvalidInput unless iterations >= 0 and the other limits, where given, are > 0.
void check_stop_rule(const StopRule& stop);

// What one outer iteration says of itself.
struct StepReport {
  double objective = 0;        // the solver's own estimate of f
  double policy_step = 0;      // eta, or alpha
  double nature_step = 0;      // beta, or alpha; 0 where nature takes no steps
  double proximal_weight = 0;  // sigma; 0 where there is none
  // No policy has a smaller worst case, where that is known.
  double lower_bound = std::numeric_limits<double>::quiet_NaN();
  std::optional<Status> ended = {};  // the method itself has come to an end, and how
};

struct Iteration {
  const SolverState& state;   // after it
  const SaddlePoint& before;  // z_k
  const StepReport& report;
};

// What the observer makes of it. A residual that is NaN was not measured.
struct Verdict {
  double residual = std::numeric_limits<double>::quiet_NaN();
  bool stop = false;
};
using Observer = std::function<Verdict(const Iteration&)>;  // may be empty

// Advances the state by one outer iteration: everything but `iteration`, `drawn` and `seconds`.
template <class Step>
concept IterationStep = requires(Step step, SolverState& state) {
  { step(state) } -> std::same_as<StepReport>;
};

// Is the new state fit to go on from? Sets the scale in the first iteration.
bool is_sound(SolverState& state, const StepReport& report);

// Keeps each of n iterates with probability 1 / n, whatever n turns out to be.
void draw_iterate(SolverState& state);

// Was a residual measured that is small enough?
bool reached_residual(const StopRule& stop, const SolverState& state);

// The limit that was reached before an iteration, if any.
std::optional<Status> reached_limit(const StopRule& stop, const SolverState& state);

// Iterates from `state` until the rule or the observer stops it. A step that ends in a number that
// is not finite, or in an objective above 1e8 times its first size, is undone: kDiverged.
template <IterationStep Step>
Status run(const StopRule& stop, SolverState& state, const Observer& observe, Step step) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  const double seconds_before = state.seconds;
  while (true) {
    if (const auto limit = reached_limit(stop, state)) return *limit;
    SolverState next = state;
    const StepReport report = step(next);
    if (!is_sound(next, report)) return Status::kDiverged;
    ++next.iteration;
    next.residual = std::numeric_limits<double>::quiet_NaN();
    draw_iterate(next);
    next.seconds = seconds_before + std::chrono::duration<double>(Clock::now() - begin).count();
    std::swap(state, next);  // `next` now holds z_k
    Verdict verdict;
    if (observe) verdict = observe({.state = state, .before = next.point, .report = report});
    state.residual = verdict.residual;
    if (report.ended) return *report.ended;
    if (reached_residual(stop, state)) return Status::kConverged;
    if (verdict.stop) return Status::kInterrupted;
  }
}

// The state's point is the last iterate, `drawn` the uniformly drawn one.
struct SolverResult {
  Status status = Status::kRunning;
  SolverState state;
};

}  // namespace rgu
