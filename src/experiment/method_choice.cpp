#include "rgu/experiment/method_choice.hpp"

#include <fmt/format.h>

#include "rgu/base/check.hpp"
#include "rgu/experiment/method.hpp"
#include "rgu/robustness/worst_case.hpp"

namespace rgu {
namespace {

bool is_tabular(const ProblemConfig& config) {
  return std::holds_alternative<TabularConfig>(config.policy.parameterization);
}

// Of the worst case, as far as an even occupancy can tell: the kind depends on the utility and the
// set, not on the policy. A short search, for one that is not exact.
AnswerKind worst_case_kind(const Instance& instance) {
  const Index states = instance.world.mdp.states();
  const Index actions = instance.world.mdp.actions();
  const Matrix even =
      Matrix::Constant(states, actions, 1.0 / static_cast<double>(states * actions));
  return worst_case(*instance.utility, *instance.ambiguity, even, {.iterations = 100, .starts = 1})
      .kind;
}

}  // namespace

MethodChoice chosen_method(const ProblemConfig& config, const Instance& instance) {
  if (!std::holds_alternative<AutoConfig>(config.solver.method)) return {config.solver, ""};
  const AnswerKind kind = worst_case_kind(instance);
  const std::string known = "the worst case is " + std::string(name_of(kind));
  if (kind == AnswerKind::kBestFound) {
    return {.solver = {ProxExtragradientConfig{}},
            .reason = "the worst case has no known bound, so nature takes steps of its own"};
  }
  if (!instance.utility->traits().convex_in_occupancy) {
    return {.solver = {WorstCaseConfig{}},
            .reason = known + ", but the utility is not convex in the occupancy: no global proof"};
  }
  if (config.gradient.kind == GradientKind::kSampled) {
    return {.solver = {WorstCaseConfig{}}, .reason = known + " and gradients are to be sampled"};
  }
  if (!is_tabular(config)) {
    return {.solver = {WorstCaseConfig{}},
            .reason = known + ", but policies are restricted to features: no global proof"};
  }
  return {.solver = {EnvelopeConfig{}},
          .reason = "the utility is convex in the occupancy and " + known +
                    ", so the global optimum can be proven"};
}

std::string chosen_method_text(const ProblemConfig& config, const Instance& instance) {
  const MethodChoice choice = chosen_method(config, instance);
  ProblemConfig settled = config;
  settled.solver = choice.solver;
  const std::string text = method_text(settled);
  return choice.reason.empty() ? text : fmt::format("{} (chosen: {})", text, choice.reason);
}

void check_method(const ProblemConfig& config, const Instance& instance) {
  if (!is_over_occupancies(config)) return;
  check(config.gradient.kind == GradientKind::kExact,
        "solver: the methods envelope and occupancy need the model itself; gradient.kind is "
        "sampled");
  check(is_tabular(config),
        "solver: the methods envelope and occupancy choose among all policies; "
        "policy.class restricts them to features");
  const UtilityTraits traits = instance.utility->traits();
  check(traits.convex_in_occupancy,
        "solver: the methods envelope and occupancy need a utility that is convex in the "
        "occupancy; this one is not");
  const bool concave = traits.nature != NatureShape::kNonconcave;
  check(concave || !std::holds_alternative<OccupancyConfig>(config.solver.method),
        "solver: the method occupancy needs a utility that is concave in nature's choice; this one "
        "is not (envelope does not mind)");
}

}  // namespace rgu
