#include "rgu/experiment/nominal.hpp"

#include <algorithm>

#include "rgu/ambiguity/singleton.hpp"
#include "rgu/experiment/method.hpp"
#include "rgu/experiment/seed_run.hpp"
#include "rgu/robustness/feasibility.hpp"

namespace rgu {

ProblemConfig nominal_problem(const ProblemConfig& config) {
  ProblemConfig nominal = config;
  nominal.ambiguity = AmbiguityConfig{.kind = SingletonConfig{}, .centre = config.ambiguity.centre};
  if (is_over_occupancies(config)) {
    nominal.solver.method = EnvelopeConfig{};
  } else if (!std::holds_alternative<AutoConfig>(config.solver.method)) {
    nominal.solver.method = WorstCaseConfig{};
  }
  nominal.gradient = GradientConfig{.policy_gradient = config.gradient.policy_gradient};
  return nominal;
}

std::optional<Matrix> nominal_policy(const ProblemConfig& config, std::uint64_t seed,
                                     Index iterations, const std::atomic<bool>* interrupt) {
  return nominal_policy(config, make_instance(config, seed), seed, iterations, interrupt);
}

std::optional<Matrix> nominal_policy(const ProblemConfig& config, Instance instance,
                                     std::uint64_t seed, Index iterations,
                                     const std::atomic<bool>* interrupt) {
  ThreadPool pool(1);
  ProblemConfig nominal = nominal_problem(config);
  nominal.stopping = StoppingConfig{};
  if (std::holds_alternative<WorstCaseConfig>(nominal.solver.method)) {
    nominal.stopping.iterations = iterations;
  }
  instance.ambiguity = std::make_shared<Singleton>(instance.nominal);
  SeedRun run(nominal, seed, std::move(instance), pool);
  SolverResult result = run.train(interrupt);
  if (result.status == Status::kInterrupted) return std::nullopt;
  return run.policy_of(result.state);
}

bool has_baseline(const Instance& instance) {
  const Index states = instance.world.mdp.states();
  const Index actions = instance.world.mdp.actions();
  const Matrix uniform =
      Matrix::Constant(states, actions, 1.0 / static_cast<double>(states * actions));
  return instance.ambiguity->diameter() > 0 && !constraint_report(*instance.utility, uniform);
}

}  // namespace rgu
