#include "rgu/experiment/solve_environment.hpp"

#include <fmt/format.h>

#include <limits>

#include "rgu/base/check.hpp"
#include "rgu/base/version.hpp"
#include "rgu/experiment/method.hpp"
#include "rgu/experiment/method_choice.hpp"
#include "rgu/experiment/sample_budgets.hpp"
#include "rgu/experiment/solve_by.hpp"
#include "rgu/experiment/theory_schedule.hpp"
#include "rgu/robustness/worst_case.hpp"

namespace rgu {
namespace {

// Apart from each other, so that measuring more or less often does not change the iterates.
constexpr std::uint64_t kMeasureStream = 7;

constexpr Index kLastBatch = 4;  // the result is judged by this many times the usual trajectories

ProblemConfig settled(const ProblemConfig& config, const EnvironmentProblem& problem) {
  ProblemConfig out = config;
  out.gradient.kind = GradientKind::kSampled;
  out.solver = chosen_without_model(config.solver, *problem.utility, *problem.ambiguity).solver;
  check(!is_over_occupancies(out),
        "solver: the methods envelope and occupancy need the model; an environment only gives "
        "trajectories");
  check(!follows_theory(out.solver),
        "solver: schedule = \"theory\" needs constants of the model; an environment only gives "
        "trajectories");
  check(!out.stopping.residual,
        "stopping: the residual needs exact gradients; an environment only gives trajectories");
  check_budgets(out);
  return out;
}

class EnvironmentRun {
 public:
  EnvironmentRun(const ProblemConfig& config, const EnvironmentProblem& problem, std::uint64_t seed,
                 const SeedHooks& hooks)
      : config_(settled(config, problem)),
        problem_(problem),
        seed_(seed),
        hooks_(hooks),
        measuring_(seed, kMeasureStream) {
    set_budgets(0);
  }

  SolvedSeed solve() {
    SolverState state;
    state.point = {.policy = problem_.start,
                   .nature = problem_.ambiguity->project(problem_.nominal)};
    state.drawn = state.point;  // until there is an iterate
    state.rng = Rng(seed_, kSolverStream);
    const MethodParts parts{
        .problem = {.oracle = *oracle_,
                    .policies = *problem_.parameters,
                    .ambiguity = *problem_.ambiguity},
        .worst_case = [this](const SaddlePoint& at, Rng& rng) { return answer(at, rng); },
        .oracle_at = [this](Index k) -> const GradientOracle& {
          set_budgets(k);
          return *oracle_;
        }};
    SolverResult result =
        solve_by(config_.solver, parts, std::move(state), stop_rule(config_),
                 [this](const Iteration& iteration) { return observed(iteration); });
    if (unmeasured_ && hooks_.measured && result.status != Status::kInterrupted) {
      hooks_.measured(measured({.state = result.state,
                                .before = unmeasured_->before,
                                .report = unmeasured_->report}),
                      result.state.seconds);
    }
    if (hooks_.ended) hooks_.ended(result.state);
    return {
        .status = result.status, .iterations = result.state.iteration, .files = concluded(result)};
  }

 private:
  void set_budgets(Index k) {
    oracle_.emplace(TrajectoryOracle::Parts{.source = *problem_.source,
                                            .policy = *problem_.policy,
                                            .utility = *problem_.utility,
                                            .discount = problem_.discount},
                    budgets(config_.gradient, k));
  }

  WorstCase worst_of(const Matrix& lambda, const Vector& hint) const {
    WorstCaseOptions options{.iterations = 500, .starts = 2};
    options.hint = hint;
    return worst_case(*problem_.utility, *problem_.ambiguity, lambda, options);
  }

  NatureAnswer answer(const SaddlePoint& at, Rng& rng) const {
    const Matrix lambda = oracle_->occupancy(problem_.policy->probabilities(at.policy), rng);
    return {.nature = worst_of(lambda, at.nature).nature,
            .samples = transitions(budgets(config_.gradient, 0).occupancy)};
  }

  Verdict observed(const Iteration& iteration) {
    const SolverState& state = iteration.state;
    const bool last = state.iteration == iteration_limit(config_);
    if (last || state.iteration % config_.output.metrics_every == 0) {
      if (hooks_.measured) hooks_.measured(measured(iteration), state.seconds);
      unmeasured_.reset();
    } else {
      unmeasured_ = Unmeasured{.before = iteration.before, .report = iteration.report};
    }
    if (hooks_.iterated) hooks_.iterated(state, Metrics::kNone);
    return {.stop = hooks_.interrupt != nullptr && hooks_.interrupt->load()};
  }

  Metrics measured(const Iteration& iteration) {
    const SaddlePoint& z = iteration.state.point;
    const Matrix lambda = oracle_->occupancy(problem_.policy->probabilities(z.policy), measuring_);
    Metrics metrics{.iteration = iteration.state.iteration,
                    .objective = problem_.utility->evaluate(lambda, z.nature).value,
                    .envelope = worst_of(lambda, z.nature).value,
                    .envelope_kind = AnswerKind::kBestFound,
                    .nominal = problem_.utility->evaluate(lambda, problem_.nominal).value,
                    .policy_move = (z.policy - iteration.before.policy).norm(),
                    .nature_move = (z.nature - iteration.before.nature).norm(),
                    .nature_distance = (z.nature - problem_.nominal).norm(),
                    .policy_step = iteration.report.policy_step,
                    .samples = iteration.state.samples};
    if (iteration.report.nature_step > 0) metrics.nature_step = iteration.report.nature_step;
    return metrics;
  }

  SeedFiles concluded(const SolverResult& result) {
    SampledOracleOptions sizes = budgets(config_.gradient, 0);
    if (result.status != Status::kInterrupted) sizes.occupancy.trajectories *= kLastBatch;
    const TrajectoryOracle judge({.source = *problem_.source,
                                  .policy = *problem_.policy,
                                  .utility = *problem_.utility,
                                  .discount = problem_.discount},
                                 sizes);
    SeedFiles files;
    SeedRecord& record = files.record;
    record.seed = seed_;
    record.status = describe(result.status).text;
    record.solved = result.status != Status::kDiverged && result.status != Status::kInterrupted;
    record.policy = problem_.policy->probabilities(result.state.point.policy);
    record.occupancy = judge.occupancy(record.policy, measuring_);
    record.nominal = problem_.utility->evaluate(record.occupancy, problem_.nominal).value;
    const WorstCase worst = worst_of(record.occupancy, result.state.point.nature);
    record.worst_case = {
        .value = worst.value,
        .kind = AnswerKind::kBestFound,
        .gap = std::numeric_limits<double>::infinity(),
        .method = fmt::format("at an occupancy sampled from {} trajectories of {} "
                              "steps, an estimate: {}",
                              sizes.occupancy.trajectories, sizes.occupancy.horizon, worst.method),
        .nature = worst.nature};
    record.adversary.last = result.state.point.nature;
    record.adversary.drawn = result.state.drawn.nature;
    files.parameters = result.state.point.policy;
    files.drawn_parameters = result.state.drawn.policy;
    files.drawn_policy = problem_.policy->probabilities(result.state.drawn.policy);
    files.drawn_envelope = Metrics::kNone;
    files.finished = result.status != Status::kInterrupted;
    return files;
  }

  ProblemConfig config_;
  const EnvironmentProblem& problem_;
  std::uint64_t seed_;
  const SeedHooks& hooks_;
  Rng measuring_;
  std::optional<TrajectoryOracle> oracle_;
  std::optional<Unmeasured> unmeasured_;  // the last iteration, where no metrics were due
};

}  // namespace

SolvedSeed solve_environment(const ProblemConfig& config, const EnvironmentProblem& problem,
                             std::uint64_t seed, const SeedHooks& hooks) {
  return EnvironmentRun(config, problem, seed, hooks).solve();
}

RunRecord about(const ProblemConfig& config, const EnvironmentProblem& problem) {
  const MethodChoice choice =
      chosen_without_model(config.solver, *problem.utility, *problem.ambiguity);
  const std::string method = method_text(settled(config, problem));
  RunRecord run;
  run.name = config.name;
  run.description = config.description;
  run.version = version_text();
  run.build = build_facts();
  run.method =
      choice.reason.empty() ? method : fmt::format("{} (chosen: {})", method, choice.reason);
  run.states = problem.utility->states();
  run.actions = problem.utility->actions();
  run.discount = problem.discount;
  run.nature_rows = problem.nominal.size();
  run.nature_columns = 1;
  run.nature_centre = problem.nominal;
  run.warnings = ambiguity_warnings(*problem.utility, *problem.ambiguity);
  run.notes = {
      "The model is not known: every number is an estimate from sampled trajectories, cut at the "
      "horizon, and none is a bound."};
  return run;
}

}  // namespace rgu
