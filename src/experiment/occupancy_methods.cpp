#include "rgu/experiment/occupancy_methods.hpp"

#include <algorithm>
#include <cmath>

#include "rgu/experiment/method.hpp"
#include "rgu/experiment/theory_numbers.hpp"
#include "rgu/experiment/witness_record.hpp"
#include "rgu/global/envelope.hpp"
#include "rgu/global/saddle_gap.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/mdp/occupancy_policies.hpp"
#include "rgu/robustness/feasibility.hpp"
#include "rgu/theory/descent_ascent.hpp"

namespace rgu {
namespace {

// 1, 2, 5, 10, 20, 50, ..: proving a gap costs more than an iteration.
bool is_landmark(Index iteration) {
  while (iteration % 10 == 0) iteration /= 10;
  return iteration == 1 || iteration == 2 || iteration == 5;
}

void add_saddle_gap(const OccupancyConfig& method, const Instance& instance, const SaddlePoint& z,
                    Metrics& metrics) {
  const FiniteMdp& mdp = instance.world.mdp;
  metrics.saddle_gap = saddle_gap(mdp, *instance.utility, *instance.ambiguity,
                                  as_matrix(z.policy, mdp.states(), mdp.actions()), z.nature)
                           .value;
  if (!method.policy_step || !method.nature_step) return;  // the theorem has constant steps
  const ProblemNumbers numbers = problem_numbers(instance, ConstantScale::kDerivative);
  const double bound =
      occupancy_gap_bound(numbers, {.policy = *method.policy_step, .nature = *method.nature_step},
                          static_cast<double>(metrics.iteration));
  if (std::isfinite(bound)) metrics.saddle_gap_bound = bound;
}

}  // namespace

Instance over_occupancies(Instance instance) {
  const FiniteMdp& mdp = instance.world.mdp;
  instance.start = flatten(occupancy(mdp, instance.policy->probabilities(instance.start)));
  instance.policy = std::make_shared<OccupancyPolicies>(mdp.states(), mdp.actions());
  return instance;
}

SolverResult minimise_envelope(const Instance& instance, const EnvelopeRun& options,
                               SolverState state, const Observer& observe,
                               CertificateRecord& certificate) {
  EnvelopeSolver solver(instance.world.mdp, *instance.utility, *instance.ambiguity,
                        options.tolerance);
  const auto ended = [&]() -> std::optional<Status> {
    if (solver.best().status == GlobalStatus::kCertified) return Status::kCertified;
    if (solver.is_exhausted()) return Status::kExhausted;
    return std::nullopt;
  };
  for (Index k = 0; k < state.iteration; ++k) solver.advance();
  check_stop_rule(options.stop);
  Status status = ended().value_or(Status::kRunning);
  if (status == Status::kRunning) {
    status = run(options.stop, state, observe, [&](SolverState& next) -> StepReport {
      solver.advance();
      const GlobalSolution& best = solver.best();
      next.point = {.policy = flatten(best.occupancy), .nature = best.nature};
      return {.objective = best.value, .lower_bound = best.lower_bound, .ended = ended()};
    });
  }
  const GlobalSolution& best = solver.best();
  if (best.iterations > 0) {
    certificate = certificate_of(instance, best);
    const GapTolerance tolerance = options.tolerance;
    certificate.gap_asked = tolerance.at(
        best.value, {.cost = best.cost_scale, .discount = instance.world.mdp.discount()});
  }
  return {.status = status, .state = std::move(state)};
}

Metrics occupancy_metrics(const ProblemConfig& config, const Instance& instance,
                          const PolicyFacts& facts, const SaddlePoint& at,
                          const Iteration& iteration) {
  const UtilityGradient f = instance.utility->evaluate(facts.occupancy, at.nature);
  Metrics metrics{.iteration = iteration.state.iteration,
                  .objective = f.value,
                  .envelope = facts.worst_case.value,
                  .envelope_kind = facts.worst_case.kind,
                  .nominal = nominal_value(instance, facts),
                  .policy_move = (iteration.state.point.policy - iteration.before.policy).norm(),
                  .nature_move = (iteration.state.point.nature - iteration.before.nature).norm(),
                  .nature_residual = instance.ambiguity->normal_residual(at.nature, f.nature),
                  .nature_distance = (at.nature - instance.nominal).norm()};
  const double slack = facts.worst_case.kind == AnswerKind::kCertified ? facts.worst_case.gap : 0.0;
  if (slack > 0) metrics.envelope_gap = slack;
  if (iteration.report.policy_step > 0) metrics.policy_step = iteration.report.policy_step;
  if (iteration.report.nature_step > 0) metrics.nature_step = iteration.report.nature_step;
  if (std::isfinite(iteration.report.lower_bound)) {
    metrics.lower_bound = iteration.report.lower_bound;
    // Never 0: rounding could hide as much, and a logarithmic axis would end.
    metrics.optimality_gap = std::max(1e-16 * std::max(std::abs(metrics.envelope), 1e-9),
                                      metrics.envelope + slack - metrics.lower_bound);
  }
  if (const auto constraints = constraint_report(*instance.utility, facts.occupancy)) {
    metrics.violation = std::max(0.0, constraints->largest);
  }
  const auto* method = std::get_if<OccupancyConfig>(&config.solver.method);
  const bool last = metrics.iteration == iteration_limit(config);
  if (method != nullptr && (last || is_landmark(metrics.iteration))) {
    add_saddle_gap(*method, instance, at, metrics);
  }
  return metrics;
}

}  // namespace rgu
