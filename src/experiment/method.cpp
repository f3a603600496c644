#include "rgu/experiment/method.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rgu/experiment/theory_schedule.hpp"
#include "rgu/robustness/worst_case.hpp"
#include "rgu/utility/drift.hpp"
#include "rgu/utility/regularized.hpp"
#include "rgu/utility/sum.hpp"

namespace rgu {
namespace {

std::string step_text(const std::optional<double>& step) {
  return step ? fmt::format("{}", *step) : "auto";
}

std::string schedule_text(const Schedule& schedule) {
  if (schedule.growing) return fmt::format("{} and growing", schedule.at(0));
  if (schedule.values.size() > 1) return fmt::format("{}, ..", schedule.at(0));
  return fmt::format("{}", schedule.at(0));
}

constexpr const char* kByTheorem = "steps and schedule by the theorem";

template <class Method>
bool is_theory(const Method& method) {
  return method.schedule == StepSchedule::kTheory;
}

struct MethodText {
  std::string operator()(const AutoConfig&) const { return "chosen by the problem"; }
  std::string operator()(const EnvelopeConfig& method) const {
    return fmt::format("envelope solver, to a proven relative gap of {}", method.tolerance);
  }
  std::string operator()(const OccupancyConfig& method) const {
    const std::string order = method.order == NatureOrder::kNew ? "new xi" : "old xi";
    if (is_theory(method)) return fmt::format("occupancy PGDA, {}, {}", kByTheorem, order);
    return fmt::format("occupancy PGDA, occupancy step {}, nature step {}, {}",
                       step_text(method.policy_step), step_text(method.nature_step), order);
  }
  std::string operator()(const WorstCaseConfig& method) const {
    if (is_theory(method)) return fmt::format("PGDA with a worst-case oracle, {}", kByTheorem);
    return fmt::format("PGDA with a worst-case oracle, policy step {}",
                       step_text(method.policy_step));
  }
  std::string operator()(const PgdaConfig& method) const {
    if (is_theory(method)) {
      return fmt::format("PGDA, {}, {} inner steps", kByTheorem, method.inner_steps);
    }
    return fmt::format("PGDA, policy step {}, nature step {}, {} inner steps",
                       step_text(method.policy_step), step_text(method.nature_step),
                       method.inner_steps);
  }
  std::string operator()(const PgdaLpConfig& method) const {
    if (is_theory(method)) return fmt::format("PGDA-lp, {}", kByTheorem);
    return fmt::format("PGDA-lp, policy step {}", step_text(method.policy_step));
  }
  std::string operator()(const ProxExtragradientConfig& method) const {
    if (is_theory(method)) return fmt::format("prox-extragradient, {}", kByTheorem);
    return fmt::format("prox-extragradient, step {}, proximal weight {}, {} inner steps",
                       step_text(method.step), step_text(method.proximal_weight),
                       schedule_text(method.inner_steps));
  }
};

bool is_nonsmooth(const Utility& utility) {
  if (const auto* drift = dynamic_cast<const Drift*>(&utility)) return drift->smoothing() == 0;
  if (const auto* regularized = dynamic_cast<const NatureRegularized*>(&utility)) {
    return is_nonsmooth(regularized->inner());
  }
  const auto* sum = dynamic_cast<const Sum*>(&utility);
  return sum != nullptr &&
         std::any_of(sum->parts().begin(), sum->parts().end(),
                     [](const auto& part) { return is_nonsmooth(*part.utility); });
}

void remark_on_shape(const UtilityTraits& traits, const ProblemConfig& config, Remarks& out) {
  if (!traits.convex_in_occupancy) {
    out.warnings.push_back(
        "The utility is not convex in the occupancy: what a policy-gradient method finds may be "
        "a local optimum, and no global claim is made.");
  }
  if (traits.nature == NatureShape::kLinear &&
      std::holds_alternative<PgdaConfig>(config.solver.method)) {
    out.warnings.push_back(
        "The utility is linear in nature's choice, not strongly concave: the convergence theorem "
        "of PGDA asks for strong concavity, which utility.regularization > 0 gives. The distance "
        "delta_k of nature's gradient from the normal cone is reported either way.");
  }
  if (traits.nature == NatureShape::kNonconcave) {
    out.notes.push_back(
        "The utility is not concave in nature's choice: gradient steps of nature may stay in a "
        "local maximum. Compare the objective with the envelope, which is the worst case itself.");
  }
}

}  // namespace

bool is_proximal(const ProblemConfig& config) {
  return std::holds_alternative<ProxExtragradientConfig>(config.solver.method);
}

bool is_over_occupancies(const ProblemConfig& config) {
  return std::holds_alternative<EnvelopeConfig>(config.solver.method) ||
         std::holds_alternative<OccupancyConfig>(config.solver.method);
}

Index iteration_limit(const ProblemConfig& config) {
  constexpr Index kDefault = 300;
  constexpr Index kNone = 1'000'000'000;
  const bool proves = std::holds_alternative<EnvelopeConfig>(config.solver.method);
  return config.stopping.iterations.value_or(proves ? kNone : kDefault);
}

std::string method_text(const ProblemConfig& config) {
  std::string text = std::visit(MethodText{}, config.solver.method);
  if (is_over_occupancies(config)) return text;
  if (config.gradient.kind == GradientKind::kExact) return text + ", exact gradients";
  if (is_proximal(config) && follows_theory(config.solver)) return text + ", sampled gradients";
  return text + fmt::format(", sampled gradients (m = {}, H = {})",
                            schedule_text(config.gradient.trajectories),
                            schedule_text(config.gradient.horizon));
}

Remarks remarks(const ProblemConfig& config, const Instance& instance) {
  Remarks out;
  out.warnings = ambiguity_warnings(*instance.utility, *instance.ambiguity);
  const double outside = distance(*instance.ambiguity, instance.nominal);
  if (outside > membership_slack(*instance.ambiguity, instance.nominal)) {
    out.warnings.push_back(
        fmt::format("The nominal utility is not in the ambiguity set (its distance is {:.3g}): its "
                    "value may be "
                    "above the worst case over the set.",
                    outside));
  }
  if (config.utility.regularization > 0) {
    out.notes.push_back(fmt::format(
        "utility.regularization: every value of f and of the worst case includes the term "
        "-({}/2)|xi - nominal|^2.",
        config.utility.regularization));
  }
  remark_on_shape(instance.utility->traits(), config, out);
  if (is_nonsmooth(*instance.utility)) {
    out.warnings.push_back(
        "The least eigenvalue has no gradient where it is multiple, and minimising drives "
        "eigenvalues together: the smoothness that the theorems assume fails there. "
        "utility.smoothing > 0 restores it.");
  }
  if (const auto* proximal = std::get_if<ProxExtragradientConfig>(&config.solver.method);
      proximal != nullptr && !is_theory(*proximal)) {
    out.notes.push_back(fmt::format(
        "The theorem of the prox-extragradient method asks for a proximal weight above the "
        "Lipschitz constant of the gradients (commonly 1e4 and more at a discount of 0.95); this "
        "run uses {}. Convergence is therefore an observation, not a guarantee.",
        proximal->proximal_weight ? fmt::format("{}", *proximal->proximal_weight)
                                  : "a multiple of 1 / step"));
  }
  if (config.gradient.policy_gradient == PolicyGradientScale::kPaper) {
    out.notes.push_back(
        "policy_gradient = \"paper\": the policy gradient is the derivative divided by (1 - "
        "discount), as published; step sizes and mapping norms refer to that scale.");
  }
  if (config.gradient.kind == GradientKind::kSampled) {
    out.notes.push_back(
        "The solver sees sampled gradients; every number in the curves and tables is computed "
        "exactly from the model.");
  }
  return out;
}

}  // namespace rgu
