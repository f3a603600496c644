#include "rgu/experiment/mapping_bound.hpp"

#include <algorithm>
#include <cmath>

#include "rgu/experiment/theory_numbers.hpp"
#include "rgu/experiment/theory_schedule.hpp"
#include "rgu/global/envelope.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/robustness/worst_case.hpp"
#include "rgu/theory/descent_ascent.hpp"

namespace rgu {
namespace {

constexpr EnvelopeOptions kRough{.tolerance = 1e-3, .iterations = 200};  // any bound will do

// Gamma(theta_0) - Gamma*, from above.
double excess_of_start(const Instance& instance) {
  const FiniteMdp& mdp = instance.world.mdp;
  const WorstCase first =
      worst_case(*instance.utility, *instance.ambiguity,
                 occupancy(mdp, instance.policy->probabilities(instance.start)));
  const GlobalSolution least =
      envelope_minimum(mdp, *instance.utility, *instance.ambiguity, kRough);
  return first.value + first.gap - least.lower_bound;
}

}  // namespace

double MappingBound::at(Index iterations) const {
  return std::sqrt(pgda_bound(numbers_,
                              {.iterations = static_cast<double>(iterations),
                               .policy_step = policy_step_,
                               .initial_excess = initial_excess_},
                              0));
}

std::optional<MappingBound> mapping_bound(const ProblemConfig& config, const Instance& instance) {
  const auto* method = std::get_if<WorstCaseConfig>(&config.solver.method);
  if (method == nullptr || !follows_theory(config.solver) || !method->policy_step) return {};
  if (config.gradient.kind == GradientKind::kSampled) return {};
  const ConstantScale scale = constant_scale(config.gradient.policy_gradient);
  MappingBound bound;
  bound.numbers_ = problem_numbers(instance, scale);
  bound.policy_step_ = *method->policy_step;
  bound.initial_excess_ = largest_excess(bound.numbers_);
  if (bound.numbers_.convex_in_occupancy) {
    const double unit = scale == ConstantScale::kPaper ? 1 / (1 - bound.numbers_.discount) : 1.0;
    bound.initial_excess_ =
        std::min(bound.initial_excess_, std::max(0.0, unit * excess_of_start(instance)));
  }
  if (!std::isfinite(bound.at(1))) return {};
  return bound;
}

}  // namespace rgu
