#include "rgu/experiment/solve_seed.hpp"

#include <functional>

#include "rgu/experiment/method.hpp"
#include "rgu/experiment/nominal.hpp"
#include "rgu/experiment/published.hpp"

namespace rgu {
namespace {

// The observer of one seed.
class SeedObserver {
 public:
  SeedObserver(const ProblemConfig& config, SeedRun& run, const SeedHooks& hooks)
      : config_(config), run_(run), hooks_(hooks) {}

  // At the end of a seed: its last iteration is measured in any case.
  void finish(const SolverState& state) {
    if (!unmeasured_) return;
    measure({.state = state, .before = unmeasured_->before, .report = unmeasured_->report});
  }

  Verdict operator()(const Iteration& iteration) {
    Verdict verdict;
    const SolverState& state = iteration.state;
    if (is_due(state.iteration)) {
      verdict.residual = measure(iteration);
    } else {
      unmeasured_ = Unmeasured{.before = iteration.before, .report = iteration.report};
    }
    if (hooks_.iterated) hooks_.iterated(state, verdict.residual);
    if (hooks_.ends_after) ended_as_ = hooks_.ends_after(state.iteration);
    verdict.stop = ended_as_ || (hooks_.interrupt != nullptr && hooks_.interrupt->load());
    return verdict;
  }

  // What a stop by the hooks counts as.
  const std::optional<Status>& ended_as() const { return ended_as_; }

 private:
  bool is_due(Index iteration) const {
    if (iteration == iteration_limit(run_.config())) return true;
    return hooks_.measures ? hooks_.measures(iteration)
                           : iteration % config_.output.metrics_every == 0;
  }

  double measure(const Iteration& iteration) {
    const Metrics metrics = run_.measure(iteration);
    if (hooks_.measured) hooks_.measured(metrics, iteration.state.seconds);
    unmeasured_.reset();
    return metrics.residual;
  }

  const ProblemConfig& config_;
  SeedRun& run_;
  const SeedHooks& hooks_;
  std::optional<Unmeasured> unmeasured_;  // the last iteration, where no metrics were due
  std::optional<Status> ended_as_;
};

}  // namespace

SolvedSeed solve_seed(const SeedProblem& problem, const std::optional<SolverState>& resumed,
                      ThreadPool& pool, const SeedHooks& hooks, Ranks& ranks) {
  const ProblemConfig& config = problem.config;
  SeedRun run(config, problem.seed, problem.of, pool, ranks);
  SeedObserver observer(config, run, hooks);
  SolverResult result = run.solve(resumed.value_or(run.start()), std::ref(observer));
  if (result.status == Status::kInterrupted && observer.ended_as()) {
    result.status = *observer.ended_as();
  }
  if (result.status != Status::kInterrupted) observer.finish(result.state);
  if (hooks.ended) hooks.ended(result.state);
  SeedFiles files = run.conclude(result);
  if (files.finished && config.output.baseline && has_baseline(run.instance())) {
    const auto pi = nominal_policy(run.config(), problem.of, problem.seed, result.state.iteration,
                                   hooks.interrupt);
    if (pi) {
      run.add_baseline(*pi, files);
    } else {
      result.status = Status::kInterrupted;
      files = run.conclude(result);
    }
  }
  if (files.finished && config.output.published) {
    const auto pi = published_policy(config, problem.of, problem.seed, hooks.interrupt);
    if (pi) {
      run.add_published(*pi, files);
    } else {
      result.status = Status::kInterrupted;
      files = run.conclude(result);
    }
  }
  return {.status = result.status, .iterations = result.state.iteration, .files = std::move(files)};
}

}  // namespace rgu
