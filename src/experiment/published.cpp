#include "rgu/experiment/published.hpp"

#include "rgu/experiment/built_in.hpp"
#include "rgu/experiment/seed_run.hpp"

namespace rgu {

ProblemConfig published_problem(const ProblemConfig& config) {
  const ProblemConfig paper = read_config(find_problem("paper/exploration"));
  ProblemConfig published = config;
  published.gradient = paper.gradient;
  published.solver = paper.solver;
  published.stopping = paper.stopping;
  return published;
}

std::optional<Matrix> published_policy(const ProblemConfig& config, Instance instance,
                                       std::uint64_t seed, const std::atomic<bool>* interrupt) {
  ThreadPool pool(1);
  SeedRun run(published_problem(config), seed, std::move(instance), pool);
  const SolverResult result = run.train(interrupt);
  if (result.status == Status::kInterrupted) return std::nullopt;
  return run.policy_of(result.state);
}

}  // namespace rgu
