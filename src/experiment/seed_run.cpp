#include "rgu/experiment/seed_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "rgu/base/check.hpp"
#include "rgu/experiment/limit_conclusion.hpp"
#include "rgu/experiment/mapping_bound.hpp"
#include "rgu/experiment/method.hpp"
#include "rgu/experiment/occupancy_methods.hpp"
#include "rgu/experiment/sample_budgets.hpp"
#include "rgu/experiment/solve_by.hpp"
#include "rgu/experiment/theory_schedule.hpp"
#include "rgu/experiment/witness_record.hpp"
#include "rgu/gradient/exact_oracle.hpp"
#include "rgu/gradient/occupancy_oracle.hpp"
#include "rgu/gradient/sampled_oracle.hpp"
#include "rgu/mdp/occupancy_polytope.hpp"
#include "rgu/robustness/feasibility.hpp"
#include "rgu/solver/stationarity.hpp"

namespace rgu {
namespace {

constexpr double kLargestMappingStep = 1;  // mappings of longer steps say little

// Every iteration needs one: a search from the last worst xi and a few others will do.
WorstCaseOptions tracking_options() { return {.iterations = 500, .starts = 2}; }

// Where a method works on occupancies, those are the parameters of its policies.
Instance fitted(Instance instance, const ProblemConfig& config) {
  return is_over_occupancies(resolved(config, instance)) ? over_occupancies(std::move(instance))
                                                         : std::move(instance);
}

}  // namespace

struct SeedRun::Parts {
  Parts(const ProblemConfig& problem, std::uint64_t seed_number, Instance made, ThreadPool& pool,
        Ranks& ranks)
      : seed(seed_number),
        instance(fitted(std::move(made), problem)),
        config(resolved(problem, instance)),
        over_occupancies(*instance.utility),
        exact(instance.world.mdp, *instance.policy, *instance.utility,
              problem.gradient.policy_gradient),
        memory(instance, tracking_options()),
        bound(mapping_bound(config, instance)) {
    check_budgets(config);
    if (is_over_occupancies(config)) polytope.emplace(instance.world.mdp);
    if (!is_sampled()) return;
    sampler = std::make_unique<TrajectorySampler>(instance.world.mdp, pool, ranks);
    set_budgets(0);
  }

  bool is_sampled() const { return config.gradient.kind == GradientKind::kSampled; }

  void set_budgets(Index k) {
    sampled.emplace(*sampler, *instance.policy, *instance.utility, budgets(config.gradient, k));
  }

  const GradientOracle& oracle() const {
    if (is_sampled()) return *sampled;
    if (polytope) return over_occupancies;
    return exact;
  }

  SaddleProblem problem() const {
    const ConvexSet* parameters = instance.parameters.get();
    if (polytope) parameters = &*polytope;
    return {.oracle = oracle(), .policies = *parameters, .ambiguity = *instance.ambiguity};
  }

  // The point that the method stands for.
  static const SaddlePoint& output(const SolverState& state) {
    return state.average.policy.size() > 0 ? state.average : state.point;
  }

  NatureAnswer answer(const SaddlePoint& at, Rng& rng) {
    if (!is_sampled()) return {.nature = memory.at(at.policy, at.nature).worst_case.nature};
    const BatchSize size = budgets(config.gradient, 0).occupancy;
    const Matrix lambda =
        sampler->occupancy(instance.policy->probabilities(at.policy), size, rng.fork());
    WorstCaseOptions options = tracking_options();
    options.hint = at.nature;
    return {.nature = worst_case(*instance.utility, *instance.ambiguity, lambda, options).nature,
            .samples = transitions(size)};
  }

  std::uint64_t seed;
  Instance instance;
  ProblemConfig config;
  OccupancyOracle over_occupancies;
  std::optional<OccupancyPolytope> polytope;  // empty: the method works on policy parameters
  CertificateRecord certificate;              // of the envelope solver
  ExactOracle exact;
  PolicyMemory memory;
  std::optional<MappingBound> bound;           // where a theorem speaks of this run
  std::unique_ptr<TrajectorySampler> sampler;  // null: gradients are exact
  std::optional<SampledOracle> sampled;
};

SeedRun::SeedRun(const ProblemConfig& config, std::uint64_t seed, ThreadPool& pool, Ranks& ranks)
    : SeedRun(config, seed, make_instance(config, seed), pool, ranks) {}

SeedRun::SeedRun(const ProblemConfig& config, std::uint64_t seed, Instance instance,
                 ThreadPool& pool, Ranks& ranks)
    : parts_(std::make_unique<Parts>(config, seed, std::move(instance), pool, ranks)) {}

SeedRun::~SeedRun() = default;

const Instance& SeedRun::instance() const { return parts_->instance; }

const ProblemConfig& SeedRun::config() const { return parts_->config; }

Matrix SeedRun::policy_of(const SolverState& state) const {
  return parts_->instance.policy->probabilities(Parts::output(state).policy);
}

SolverState SeedRun::start() const {
  SolverState state;
  state.point = {.policy = parts_->instance.start,
                 .nature = parts_->instance.ambiguity->project(parts_->instance.nominal)};
  state.drawn = state.point;  // until there is an iterate
  state.rng = Rng(parts_->seed, kSolverStream);
  return state;
}

SolverResult SeedRun::solve(SolverState state, const Observer& observe) {
  Parts& p = *parts_;
  const StopRule stop = stop_rule(p.config);
  MethodParts parts{
      .problem = p.problem(),
      .worst_case = [&p](const SaddlePoint& at, Rng& rng) { return p.answer(at, rng); },
      .envelope =
          [&](const EnvelopeConfig& method, SolverState from) {
            return minimise_envelope(
                p.instance,
                {.tolerance = {method.tolerance, method.absolute_tolerance}, .stop = stop},
                std::move(from), observe, p.certificate);
          }};
  if (p.is_sampled()) {
    parts.oracle_at = [&p](Index k) -> const GradientOracle& {
      p.set_budgets(k);
      return p.oracle();
    };
  }
  return solve_by(p.config.solver, parts, std::move(state), stop, observe);
}

SolverResult SeedRun::train(const std::atomic<bool>* interrupt) {
  return solve(start(), [&](const Iteration& iteration) {
    Verdict verdict{.stop = interrupt != nullptr && interrupt->load()};
    if (parts_->config.stopping.residual) verdict.residual = measure(iteration).residual;
    return verdict;
  });
}

Metrics SeedRun::measure(const Iteration& iteration) {
  if (parts_->polytope) {
    const SaddlePoint& at = Parts::output(iteration.state);
    return occupancy_metrics(parts_->config, parts_->instance,
                             parts_->memory.at(at.policy, at.nature), at, iteration);
  }
  const Instance& instance = parts_->instance;
  const SaddleProblem problem = parts_->problem();
  const SaddlePoint& z = iteration.state.point;
  const StepReport& report = iteration.report;
  const PolicyFacts& facts = parts_->memory.at(z.policy, z.nature);
  const SaddleGradient g = parts_->exact.gradient(z, facts.evaluation);
  const double alpha =
      report.policy_step > 0 ? std::min(report.policy_step, kLargestMappingStep) : 1.0;
  const MappingNorms mappings = gradient_mappings(problem, z, g, alpha);
  Metrics metrics{.iteration = iteration.state.iteration,
                  .objective = g.value,
                  .envelope = facts.worst_case.value,
                  .envelope_kind = facts.worst_case.kind,
                  .nominal = nominal_value(instance, facts),
                  .policy_mapping = mappings.policy,
                  .nature_mapping = mappings.nature,
                  .residual = mappings.squared(),
                  .policy_move = (z.policy - iteration.before.policy).norm(),
                  .nature_move = (z.nature - iteration.before.nature).norm(),
                  .nature_residual = instance.ambiguity->normal_residual(z.nature, g.nature),
                  .nature_distance = (z.nature - instance.nominal).norm(),
                  .policy_step = report.policy_step,
                  .samples = iteration.state.samples};
  if (facts.worst_case.kind == AnswerKind::kCertified) {
    metrics.envelope_gap = facts.worst_case.gap;
  }
  if (report.nature_step > 0) metrics.nature_step = report.nature_step;
  if (parts_->bound) metrics.policy_mapping_bound = parts_->bound->at(metrics.iteration);
  if (is_proximal(parts_->config)) {
    const SaddleGradient pulled =
        proximal_gradient(z, g, {.anchor = iteration.before, .weight = report.proximal_weight});
    const MappingNorms proximal = gradient_mappings(problem, z, pulled, alpha);
    metrics.prox_policy_mapping = proximal.policy;
    metrics.prox_nature_mapping = proximal.nature;
    metrics.vi_gap = vi_gap(problem, z, pulled);
  }
  if (const auto constraints = constraint_report(*instance.utility, facts.occupancy)) {
    metrics.violation = std::max(0.0, constraints->largest);
  }
  return metrics;
}

namespace {

// Methods whose xi is a worst one, and not one of a saddle point.
bool answers_with_extremes(const ProblemConfig& config) {
  return std::holds_alternative<EnvelopeConfig>(config.solver.method) ||
         std::holds_alternative<WorstCaseConfig>(config.solver.method) ||
         std::holds_alternative<PgdaLpConfig>(config.solver.method);
}

// The adversary's side of the solution. A method that always answers with the worst multipliers
// has none of a saddle point, but for what its lower bound is made of.
void add_adversary(const ProblemConfig& config, const Utility& utility, const SolverState& state,
                   SeedRecord& record) {
  AdversaryRecord& adversary = record.adversary;
  adversary.last = state.point.nature;
  adversary.drawn = state.drawn.nature;
  adversary.average = state.average.nature;
  adversary.mixture = mixture_of(record.certificate.witness);
  if (!adversary.mixture.members.empty()) {
    record.multipliers = multipliers_in(utility, mean_of(adversary.mixture));
  } else if (!answers_with_extremes(config)) {
    record.multipliers =
        multipliers_in(utility, adversary.average.size() > 0 ? adversary.average : adversary.last);
  }
}

}  // namespace

void SeedRun::add_baseline(const Matrix& pi, SeedFiles& files) const {
  const Instance& instance = parts_->instance;
  SeedRecord& record = files.record;
  WorstCaseOptions options;
  options.hint = record.worst_case.nature;  // what was found for the other policy helps here too
  const PolicyFacts facts = policy_facts(instance, pi, options);
  record.baseline_nominal = nominal_value(instance, facts);
  record.baseline_worst_case = facts.worst_case.value;
  const double margin = 1e-9 * std::max(1.0, std::abs(facts.worst_case.value));
  if (record.worst_case.value > facts.worst_case.value + margin) {
    record.notes.push_back(fmt::format(
        "in the worst case the policy found ({:.4g}) is worse than the policy trained without any "
        "robustness ({:.4g}): this method has not paid here",
        record.worst_case.value, facts.worst_case.value));
  }
}

void SeedRun::add_published(const Matrix& pi, SeedFiles& files) const {
  WorstCaseOptions options;
  options.hint = files.record.worst_case.nature;
  files.record.published_worst_case = policy_facts(parts_->instance, pi, options).worst_case.value;
}

SeedFiles SeedRun::conclude(const SolverResult& result) {
  const Instance& instance = parts_->instance;
  const SolverState& state = result.state;
  WorstCaseOptions options;
  const SaddlePoint& output = Parts::output(state);
  options.hint = output.nature;
  PolicyFacts facts = policy_facts(instance, policy_of(state), options);
  const PolicyFacts drawn = policy_facts(instance, state.drawn.policy, options);
  SeedFiles files;
  SeedRecord& record = files.record;
  record.seed = parts_->seed;
  record.status = describe(result.status).text;
  record.solved = result.status != Status::kDiverged && result.status != Status::kInterrupted;
  if (result.status == Status::kDiverged) {
    record.notes.push_back(fmt::format(
        "iteration {} gave a number that is not finite, or one that grew without limit; the "
        "policy is that of iteration {}. A smaller step size may help.",
        state.iteration + 1, state.iteration));
  }
  if (LimitConclusion limits = conclude_limits(instance, facts.occupancy);
      limits.record.violation.size() > 0) {
    if (!limits.status.empty()) {
      record.solved = false;
      record.status = result.status == Status::kCertified || limits.record.is_infeasible()
                          ? limits.status
                          : fmt::format("{}; {}", limits.status, record.status);
      record.notes.push_back(std::move(limits.note));
    }
    record.limits = std::move(limits.record);
  }
  record.policy = facts.evaluation.policy();
  record.nominal = nominal_value(instance, facts);
  record.occupancy = std::move(facts.occupancy);
  record.worst_case = record_of(facts.worst_case);
  record.certificate = parts_->certificate;
  add_adversary(parts_->config, *instance.utility, state, record);
  if (std::holds_alternative<EnvelopeConfig>(parts_->config.solver.method) &&
      result.status != Status::kCertified && record.solved) {
    record.solved = false;
    record.notes.push_back(fmt::format(
        "the gap asked for is not proven: the worst case is at most {:.3g} above the least "
        "possible{}",
        record.optimality_gap(),
        result.status == Status::kIterationLimit ? " (more stopping.iterations may prove more)"
                                                 : ""));
  }
  files.parameters = output.policy;
  files.drawn_parameters = state.drawn.policy;
  files.drawn_policy = drawn.evaluation.policy();
  files.drawn_envelope = drawn.worst_case.value;
  files.finished = result.status != Status::kInterrupted;
  return files;
}

}  // namespace rgu
