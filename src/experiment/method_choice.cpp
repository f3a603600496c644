#include "rgu/experiment/method_choice.hpp"

#include <fmt/format.h>

#include "rgu/base/check.hpp"
#include "rgu/experiment/method.hpp"
#include "rgu/mdp/occupancy_policies.hpp"
#include "rgu/mdp/softmax.hpp"
#include "rgu/robustness/worst_case.hpp"

namespace rgu {
namespace {

// Can the parameters say every policy?
bool is_tabular(const Instance& instance) {
  return dynamic_cast<const TabularSoftmax*>(instance.policy.get()) != nullptr ||
         dynamic_cast<const OccupancyPolicies*>(instance.policy.get()) != nullptr;
}

// Of the worst case, as far as an even occupancy can tell: the kind depends on the utility and the
// set, not on the policy. A short search, for one that is not exact.
AnswerKind worst_case_kind(const Utility& utility, const ConvexSet& ambiguity) {
  const Matrix even =
      Matrix::Constant(utility.states(), utility.actions(),
                       1.0 / static_cast<double>(utility.states() * utility.actions()));
  return worst_case(utility, ambiguity, even, {.iterations = 100, .starts = 1}).kind;
}

MethodChoice nature_takes_steps() {
  return {.solver = {ProxExtragradientConfig{}},
          .reason = "the worst case has no known bound, so nature takes steps of its own"};
}

}  // namespace

MethodChoice chosen_method(const ProblemConfig& config, const Instance& instance) {
  if (!std::holds_alternative<AutoConfig>(config.solver.method)) return {config.solver, ""};
  const AnswerKind kind = worst_case_kind(*instance.utility, *instance.ambiguity);
  const std::string known = "the worst case is " + std::string(name_of(kind));
  if (kind == AnswerKind::kBestFound) return nature_takes_steps();
  if (!instance.utility->traits().convex_in_occupancy) {
    return {.solver = {WorstCaseConfig{}},
            .reason = known + ", but the utility is not convex in the occupancy: no global proof"};
  }
  if (config.gradient.kind == GradientKind::kSampled) {
    return {.solver = {WorstCaseConfig{}}, .reason = known + " and gradients are to be sampled"};
  }
  if (!is_tabular(instance)) {
    return {.solver = {WorstCaseConfig{}},
            .reason = known + ", but policies are restricted to features: no global proof"};
  }
  return {.solver = {EnvelopeConfig{}},
          .reason = "the utility is convex in the occupancy and " + known +
                    ", so the global optimum can be proven"};
}

MethodChoice chosen_without_model(const SolverConfig& solver, const Utility& utility,
                                  const ConvexSet& ambiguity) {
  if (!std::holds_alternative<AutoConfig>(solver.method)) return {solver, ""};
  const AnswerKind kind = worst_case_kind(utility, ambiguity);
  if (kind == AnswerKind::kBestFound) return nature_takes_steps();
  return {.solver = {WorstCaseConfig{}},
          .reason = fmt::format("the worst case of an occupancy is {}; no model, no global proof",
                                name_of(kind))};
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
  check(is_tabular(instance),
        "solver: the methods envelope and occupancy choose among all policies; here policies are "
        "restricted to features (policy.class)");
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
