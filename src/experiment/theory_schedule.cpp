#include "rgu/experiment/theory_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rgu/base/check.hpp"
#include "rgu/experiment/in_table.hpp"
#include "rgu/experiment/method.hpp"
#include "rgu/experiment/method_choice.hpp"
#include "rgu/experiment/theory_numbers.hpp"
#include "rgu/theory/assumptions.hpp"
#include "rgu/theory/bounds_arithmetic.hpp"
#include "rgu/theory/descent_ascent.hpp"
#include "rgu/theory/proximal.hpp"

namespace rgu {
namespace {

// "L_xi is infinite: ..; f is concave in xi but not strongly: mu = 0": what fails, in words.
std::string failures(Theorem theorem, const ProblemNumbers& numbers) {
  std::string text;
  for (const AssumptionCheck& check : assumptions(theorem, numbers)) {
    if (check.state != AssumptionState::kFails) continue;
    text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", check.name, check.reason);
  }
  return text;
}

// A step of at most `largest`: 0 means none, infinity any.
double admissible(double largest, const char* symbol, Theorem theorem,
                  const ProblemNumbers& numbers) {
  check(largest > 0,
        "schedule = \"theory\": the theorem has no step {} for this problem; it fails: {}", symbol,
        failures(theorem, numbers));
  return std::isinf(largest) ? 1 : largest;
}

double policy_step(Theorem theorem, const ProblemNumbers& numbers) {
  return admissible(largest_pgda_steps(numbers).policy, "1/L_Gamma", theorem, numbers);
}

Growth growth_of(RuleGrowth growth) {
  return growth == RuleGrowth::kLog ? Growth::kLog : Growth::kQuadratic;
}

// `last`: the last outer iteration.
Schedule schedule_of(const char* symbol, const CountRule& rule, double last) {
  const double largest = std::max(count_at(rule, 0), count_at(rule, last));
  check(largest <= kLargestCount,
        "schedule = \"theory\": the theorem asks for {} = {:.3g} at k = {}, and {:.3g} is the most "
        "that is done; give steps and counts of your own",
        symbol, largest, last, kLargestCount);
  return {.growing = GrowingCount{.base = rule.base,
                                  .rate = rule.rate,
                                  .growth = growth_of(rule.growth),
                                  .max = static_cast<Index>(kLargestCount)}};
}

void check_no_counts(const GradientConfig& config) {
  const GradientConfig initial;
  const auto refuse = [](bool is_initial, const char* key) {
    check(is_initial,
          "schedule = \"theory\" chooses gradient.{} for sampled gradients; leave one of the two "
          "out",
          key);
  };
  refuse(config.trajectories == initial.trajectories, "trajectories");
  refuse(config.horizon == initial.horizon, "horizon");
  refuse(!config.policy_trajectories, "policy_trajectories");
  refuse(!config.policy_horizon, "policy_horizon");
}

void set_counts(const ProximalSchedule& schedule, double last, GradientConfig& config) {
  config.trajectories = schedule_of("m_k", schedule.trajectories, last);
  config.horizon = schedule_of("H_k", schedule.horizon, last);
  config.policy_trajectories = schedule_of("m'_k", schedule.policy_trajectories, last);
  config.policy_horizon = schedule_of("H'_k", schedule.policy_horizon, last);
  const double samples = proximal_samples(schedule, last + 1);
  check(samples < static_cast<double>(std::numeric_limits<Index>::max()),
        "schedule = \"theory\": the theorem asks for {:.3g} sampled transitions in {} iterations, "
        "more than can be counted",
        samples, last + 1);
}

struct Resolve {
  const ProblemNumbers& numbers;
  ProblemConfig& config;

  void operator()(WorstCaseConfig& method) const {
    method.policy_step = policy_step(Theorem::kPgda, numbers);
  }
  void operator()(PgdaConfig& method) const {
    method.policy_step = policy_step(Theorem::kPgda, numbers);
    method.nature_step =
        admissible(largest_pgda_steps(numbers).nature, "1/L_xi", Theorem::kPgda, numbers);
  }
  void operator()(PgdaLpConfig& method) const {
    method.policy_step = policy_step(Theorem::kPgdaLp, numbers);
  }
  void operator()(ProxExtragradientConfig& method) const {
    const auto settings = admissible_proximal_settings(numbers);
    check(settings.has_value(),
          "schedule = \"theory\": the theorem has no proximal weight for this problem, L_F is "
          "infinite; it fails: {}",
          failures(Theorem::kProxExtragradient, numbers));
    const ProximalSchedule schedule = proximal_schedule(numbers, *settings);
    const double last = std::max(0.0, static_cast<double>(iteration_limit(config)) - 1);
    method.step = settings->step;
    method.proximal_weight = settings->weight;
    method.inner_steps = schedule_of("T_k", schedule.inner_steps, last);
    if (config.gradient.kind == GradientKind::kExact) return;
    check_no_counts(config.gradient);
    set_counts(schedule, last, config.gradient);
  }
  void operator()(OccupancyConfig& method) const {
    const double iterations = std::max(1.0, static_cast<double>(iteration_limit(config)));
    const DescentAscentSteps steps = occupancy_steps(numbers, iterations);
    const auto theorem = Theorem::kOccupancyPgda;
    method.policy_step = admissible(steps.policy, "D_Lambda/(l_lambda sqrt K)", theorem, numbers);
    // On one point there is nothing to step to.
    const double nature = numbers.nature_diameter == 0 ? kUnbounded : steps.nature;
    method.nature_step = admissible(nature, "D_Xi/(l_xi sqrt K)", theorem, numbers);
  }
  // Methods without steps of a theorem.
  template <class Other>
  void operator()(Other&) const {}
};

}  // namespace

bool follows_theory(const SolverConfig& config) {
  return std::visit(
      [](const auto& method) {
        if constexpr (requires { method.schedule; }) {
          return method.schedule == StepSchedule::kTheory;
        } else {
          return false;
        }
      },
      config.method);
}

ProblemConfig resolved(const ProblemConfig& config, const Instance& instance) {
  ProblemConfig out = config;
  out.solver = chosen_method(config, instance).solver;
  check_method(out, instance);
  if (!follows_theory(out.solver)) return out;
  const ProblemNumbers numbers =
      problem_numbers(instance, constant_scale(config.gradient.policy_gradient));
  in_table("solver", [&] {
    std::visit(Resolve{numbers, out}, out.solver.method);
    return 0;
  });
  return out;
}

}  // namespace rgu
