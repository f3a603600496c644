// One seed from its start to its end: solved, measured as often as the config says, concluded.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "rgu/base/thread_pool.hpp"
#include "rgu/experiment/seed_run.hpp"

namespace rgu {

// An iteration that was not measured when it was made, kept in case it turns out to be the last.
struct Unmeasured {
  SaddlePoint before;
  StepReport report;
};

// What happens on the way. All may be empty.
struct SeedHooks {
  // After every measured iteration, and at the end if the last one was not measured.
  std::function<void(const Metrics& metrics, double seconds)> measured = {};
  // After every iteration; the residual is NaN where it was not measured.
  std::function<void(const SolverState& state, double residual)> iterated = {};
  std::function<void(const SolverState& state)> ended = {};  // before the conclusions are drawn
  const std::atomic<bool>* interrupt = nullptr;              // set: stop soon
  // Of a replay, which measures and ends where the run did. Is this iteration measured? Empty: as
  // output.metrics_every says. Is it the last, and how did it end?
  std::function<bool(Index iteration)> measures = {};
  std::function<std::optional<Status>(Index iteration)> ends_after = {};
};

struct SolvedSeed {
  Status status = Status::kRunning;
  Index iterations = 0;
  SeedFiles files = {};  // of a run that was interrupted: not finished
};

// A seed of a problem whose instance is made: `of` is what make_instance gave, or a user's own.
struct SeedProblem {
  const ProblemConfig& config;
  std::uint64_t seed = 0;
  Instance of;
};

// Solves from `resumed`, or from the start. With output.baseline also trains the policy that
// ignores the ambiguity, where that says something; with output.published also that of the
// published method. With several ranks the others serve sampling.
SolvedSeed solve_seed(const SeedProblem& problem, const std::optional<SolverState>& resumed,
                      ThreadPool& pool, const SeedHooks& hooks, Ranks& ranks = alone());

}  // namespace rgu
