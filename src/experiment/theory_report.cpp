#include "rgu/experiment/theory_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "rgu/experiment/theory_numbers.hpp"
#include "rgu/experiment/theory_schedule.hpp"
#include "rgu/theory/bounds_arithmetic.hpp"
#include "rgu/theory/descent_ascent.hpp"

namespace rgu {
namespace {

using Value = std::function<double(const ProblemNumbers&)>;

// The same problem in both scales, and what is asked.
struct Subject {
  ProblemNumbers derivative;
  ProblemNumbers paper;
  TheoryQuestion question;
  const ProblemConfig& config;
  const Instance& instance;

  TheoryNumber number(std::string symbol, std::string meaning, const Value& value) const {
    return {.symbol = std::move(symbol),
            .meaning = std::move(meaning),
            .derivative = value(derivative),
            .paper = value(paper),
            .reason = {}};
  }
};

// A number that others are made of.
struct Source {
  const char* symbol;
  double value;
};

// "through L_lambda, L_xi": those that are infinite.
std::string through(const std::vector<Source>& sources) {
  std::string text;
  for (const Source& source : sources) {
    if (!std::isinf(source.value)) continue;
    text += fmt::format("{} {}", text.empty() ? "through" : ",", source.symbol);
  }
  return text;
}

std::vector<TheoryNumber> given_constants(const Subject& subject) {
  std::vector<TheoryNumber> out;
  const auto add = [&](const char* symbol, const char* meaning, double ProblemNumbers::*member,
                       const char* if_infinite) {
    TheoryNumber row =
        subject.number(symbol, meaning, [member](const ProblemNumbers& n) { return n.*member; });
    if (std::isinf(row.derivative)) row.reason = if_infinite;
    out.push_back(std::move(row));
  };
  using N = ProblemNumbers;
  const char* unbounded = "it has no bound";
  const char* rough = "it is not Lipschitz";
  add("l_pi", "bound of |grad log pi|", &N::policy_lipschitz, "none is known for these policies");
  add("L_pi", "grad log pi in theta", &N::policy_smoothness, "none is known for these policies");
  add("l_lambda", "bound of |grad_lambda f|", &N::occupancy_gradient, unbounded);
  add("L_lambda", "grad_lambda f in lambda", &N::occupancy_lipschitz, rough);
  add("l_xi", "bound of |grad_xi f|", &N::nature_gradient, unbounded);
  add("L_xi", "grad_xi f in xi", &N::nature_lipschitz, rough);
  add("L_lambda,xi", "either gradient in the other's variable", &N::cross_lipschitz, rough);
  add("mu", "strong concavity of f in xi; 0: not strongly concave", &N::strong_concavity, "");
  add("D_Theta", "diameter of Theta", &N::policy_diameter, "Theta is not bounded");
  add("D_Xi", "diameter of Xi", &N::nature_diameter, "Xi is not bounded");
  add("D_Lambda", "diameter of the occupancies, at most", &N::occupancy_diameter, "");
  return out;
}

std::vector<TheoryNumber> derived_constants(const Subject& subject) {
  const ProblemNumbers& n = subject.derivative;
  const Source l_pi{"l_pi", n.policy_lipschitz};
  const Source smooth_pi{"L_pi", n.policy_smoothness};
  const Source l_lambda{"l_lambda", n.occupancy_gradient};
  const Source in_lambda{"L_lambda", n.occupancy_lipschitz};
  const Source cross{"L_lambda,xi", n.cross_lipschitz};
  const Source in_xi{"L_xi", n.nature_lipschitz};
  std::vector<TheoryNumber> out;
  const auto add = [&](const char* symbol, const char* meaning, double SaddleConstants::*member,
                       const std::vector<Source>& sources) {
    TheoryNumber row = subject.number(symbol, meaning, [member](const ProblemNumbers& numbers) {
      return saddle_constants(numbers).*member;
    });
    if (std::isinf(row.derivative)) row.reason = through(sources);
    if (std::isinf(row.derivative) && row.reason.empty()) row.reason = "through mu = 0";
    out.push_back(std::move(row));
  };
  using C = SaddleConstants;
  add("l_theta", "bound of |grad_theta f|", &C::policy_gradient, {l_pi, l_lambda});
  add("L_thth", "grad_theta f in theta", &C::policy_policy, {l_pi, smooth_pi, l_lambda, in_lambda});
  add("L_thxi", "grad_theta f in xi", &C::policy_nature, {l_pi, cross});
  add("L_xith", "grad_xi f in theta", &C::nature_policy, {l_pi, cross});
  add("L_xixi", "grad_xi f in xi", &C::nature_nature, {in_xi});
  add("L_Gamma", "gradient of the worst case Gamma", &C::envelope,
      {l_pi, smooth_pi, l_lambda, in_lambda, cross});
  add("L_F", "F = (grad_theta f, -grad_xi f) in (theta, xi)", &C::field,
      {l_pi, smooth_pi, l_lambda, in_lambda, cross, in_xi});
  return out;
}

SampleBudget budget_of(const GradientConfig& config) {
  return {.trajectories = config.trajectories.at(0),
          .horizon = config.horizon.at(0),
          .policy_trajectories = config.policy_trajectories.value_or(config.trajectories).at(0),
          .policy_horizon = config.policy_horizon.value_or(config.horizon).at(0)};
}

std::vector<TheoryNumber> errors(const Subject& subject) {
  const SampleBudget budget = budget_of(subject.config.gradient);
  const ProblemNumbers& n = subject.derivative;
  const std::string at = fmt::format("at m = {}, H = {}", budget.trajectories, budget.horizon);
  TheoryNumber policy = subject.number(
      "E_theta",
      fmt::format("mean squared error of sampled grad_theta f {}, m' = {}, H' = {}", at,
                  budget.policy_trajectories, budget.policy_horizon),
      [&](const ProblemNumbers& numbers) { return estimation_errors(numbers, budget).policy; });
  policy.reason = through({{"l_pi", n.policy_lipschitz},
                           {"l_lambda", n.occupancy_gradient},
                           {"L_lambda", n.occupancy_lipschitz}});
  TheoryNumber nature = subject.number(
      "E_xi", fmt::format("mean squared error of sampled grad_xi f {}", at),
      [&](const ProblemNumbers& numbers) { return estimation_errors(numbers, budget).nature; });
  nature.reason = through({{"L_lambda,xi", n.cross_lipschitz}});
  return {policy, nature};
}

AssumptionCheck ball_check(const Instance& instance) {
  const auto ball = lp_ball_numbers(*instance.ambiguity);
  return {
      "an l_p ball", ball ? AssumptionState::kHolds : AssumptionState::kFails,
      ball ? fmt::format("p = {}, radius {}, dimension {}", ball->p, ball->radius, ball->dimension)
           : "the theorem is about l_p balls; Xi is another set"};
}

// What the configured method says about its own steps.
struct StepChecks {
  const ProblemNumbers& numbers;
  Theorem theorem;

  std::vector<AssumptionCheck> descent(Theorem own, const std::optional<double>& step) const {
    if (theorem != own || !step) return {};
    return {pgda_step_check(numbers, *step)};
  }
  std::vector<AssumptionCheck> operator()(const WorstCaseConfig& method) const {
    return descent(Theorem::kPgda, method.policy_step);
  }
  std::vector<AssumptionCheck> operator()(const PgdaConfig& method) const {
    return descent(Theorem::kPgda, method.policy_step);
  }
  std::vector<AssumptionCheck> operator()(const PgdaLpConfig& method) const {
    return descent(Theorem::kPgdaLp, method.policy_step);
  }
  std::vector<AssumptionCheck> operator()(const ProxExtragradientConfig& method) const {
    const bool named = method.step && method.proximal_weight && *method.proximal_weight > 0;
    if (theorem != Theorem::kProxExtragradient || !named) return {};
    return proximal_checks(numbers, {.weight = *method.proximal_weight, .step = *method.step});
  }
  template <class Other>
  std::vector<AssumptionCheck> operator()(const Other&) const {
    return {};
  }
};

const ProblemNumbers& own_numbers(const Subject& subject) {
  const bool paper = subject.config.gradient.policy_gradient == PolicyGradientScale::kPaper;
  return paper ? subject.paper : subject.derivative;
}

TheoremReport theorem_report(const Subject& subject, Theorem theorem, std::string name) {
  const ProblemNumbers& numbers = own_numbers(subject);
  TheoremReport out{
      .theorem = theorem,
      .name = std::move(name),
      .assumptions = assumptions(theorem, numbers),
      .steps = std::visit(StepChecks{numbers, theorem}, subject.config.solver.method)};
  if (theorem == Theorem::kPgdaLp) out.assumptions.push_back(ball_check(subject.instance));
  return out;
}

std::vector<TheoremReport> theorem_reports(const Subject& subject) {
  return {theorem_report(subject, Theorem::kPgda, "PGDA"),
          theorem_report(subject, Theorem::kPgdaLp, "PGDA-lp"),
          theorem_report(subject, Theorem::kProxExtragradient, "prox-extragradient"),
          theorem_report(subject, Theorem::kOccupancyPgda, "occupancy PGDA")};
}

// Only the proof of occupancy PGDA uses that f is convex in lambda.
bool is_to_blame(const AssumptionCheck& check, Theorem theorem) {
  return check.state == AssumptionState::kFails &&
         (theorem == Theorem::kOccupancyPgda || check.name != "convex in the occupancy");
}

// "not smooth in the occupancy, ..": the first reason why a theorem says nothing.
std::string failing(const TheoremReport& report) {
  std::string text;
  for (const AssumptionCheck& check : report.assumptions) {
    if (!is_to_blame(check, report.theorem)) continue;
    if (!text.empty()) return text + ", ..";
    text = fmt::format("not {}", check.name);
  }
  return text;
}

std::vector<TheoryNumber> largest_steps(const Subject& subject) {
  const double k = subject.question.iterations;
  const auto proximal = [](double ProximalSettings::*member) {
    return [member](const ProblemNumbers& n) {
      const auto settings = admissible_proximal_settings(n);
      return settings ? (*settings).*member : 0;
    };
  };
  std::vector<TheoryNumber> out = {
      subject.number("PGDA eta", "1/L_Gamma",
                     [](const ProblemNumbers& n) { return largest_pgda_steps(n).policy; }),
      subject.number("PGDA beta", "1/L_xi",
                     [](const ProblemNumbers& n) { return largest_pgda_steps(n).nature; }),
      subject.number("prox sigma", "2 L_F; the theorem asks for more than L_F",
                     proximal(&ProximalSettings::weight)),
      subject.number("prox alpha", "1/(4 (L_F + sigma))", proximal(&ProximalSettings::step)),
      subject.number("occupancy eta", fmt::format("D_Lambda/(l_lambda sqrt K), K = {}", k),
                     [k](const ProblemNumbers& n) { return occupancy_steps(n, k).policy; }),
      subject.number("occupancy beta", fmt::format("D_Xi/(l_xi sqrt K), K = {}", k),
                     [k](const ProblemNumbers& n) { return occupancy_steps(n, k).nature; })};
  const char* const needed[] = {"L_Gamma", "L_xi", "L_F", "L_F", "l_lambda", "l_xi"};
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i].derivative == 0) out[i].reason = fmt::format("there is no {}", needed[i]);
  }
  if (subject.derivative.nature_diameter == 0) out.back().reason = "Xi is one point";
  return out;
}

DescentRun descent_run(const Subject& subject, const ProblemNumbers& numbers) {
  const double step = largest_pgda_steps(numbers).policy;
  const bool sampled = subject.config.gradient.kind == GradientKind::kSampled;
  return {.iterations = subject.question.iterations,
          .policy_step = std::isinf(step) ? 1 : step,
          .initial_excess = largest_excess(numbers),
          .policy_error =
              sampled ? estimation_errors(numbers, budget_of(subject.config.gradient)).policy : 0};
}

std::vector<TheoryNumber> bounds(const Subject& subject,
                                 const std::vector<TheoremReport>& theorems) {
  const double k = subject.question.iterations;
  const auto ball = lp_ball_numbers(*subject.instance.ambiguity);
  std::vector<TheoryNumber> out = {
      subject.number("PGDA", "mean |G_Gamma|^2 over the iterates, worst cases without error",
                     [&](const ProblemNumbers& n) {
                       const DescentRun run = descent_run(subject, n);
                       return run.policy_step > 0 ? pgda_bound(n, run, 0) : kUnbounded;
                     }),
      subject.number("PGDA-lp", "mean |G_Gamma|^2 over the iterates",
                     [&](const ProblemNumbers& n) {
                       const DescentRun run = descent_run(subject, n);
                       return ball && run.policy_step > 0 ? pgda_lp_bound(n, run, *ball)
                                                          : kUnbounded;
                     }),
      subject.number("prox-extragradient", "E[R_GM] at a random iterate, with a Minty solution",
                     [&](const ProblemNumbers& n) {
                       const auto settings = admissible_proximal_settings(n);
                       return settings ? proximal_bound(n, *settings, k) : kUnbounded;
                     }),
      subject.number("occupancy PGDA", "saddle gap of the averages", [&](const ProblemNumbers& n) {
        DescentAscentSteps steps = occupancy_steps(n, k);
        if (std::isinf(steps.policy)) steps.policy = 1;  // the gradient is 0: any step will do
        if (std::isinf(steps.nature)) steps.nature = 1;
        return occupancy_gap_bound(n, steps, k);
      })};
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (std::isinf(out[i].derivative)) out[i].reason = failing(theorems[i]);
  }
  return out;
}

PlanRow plan_row(const ProximalSchedule& schedule, double k) {
  return {.iteration = k,
          .inner_steps = count_at(schedule.inner_steps, k),
          .trajectories = count_at(schedule.trajectories, k),
          .horizon = count_at(schedule.horizon, k),
          .policy_trajectories = count_at(schedule.policy_trajectories, k),
          .policy_horizon = count_at(schedule.policy_horizon, k)};
}

std::optional<PlanReport> plan_report(const ProblemNumbers& numbers, double accuracy) {
  const auto settings = admissible_proximal_settings(numbers);
  if (!settings) return std::nullopt;
  PlanReport out{
      .settings = *settings, .plan = proximal_plan(numbers, *settings, accuracy), .rows = {}};
  const double last = out.plan.iterations - 1;
  for (const double k : {0.0, 9.0, 99.0, 999.0}) {
    if (k < last) out.rows.push_back(plan_row(out.plan.schedule, k));
  }
  if (std::isfinite(last)) out.rows.push_back(plan_row(out.plan.schedule, last));
  return out;
}

}  // namespace

AssumptionState TheoremReport::state() const {
  AssumptionState out = AssumptionState::kHolds;
  for (const auto* checks : {&assumptions, &steps}) {
    for (const AssumptionCheck& check : *checks) {
      if (check.state == AssumptionState::kFails) return check.state;
      if (check.state == AssumptionState::kUnknown) out = check.state;
    }
  }
  return out;
}

TheoryReport theory_report(const ProblemConfig& config, const Instance& instance,
                           const TheoryQuestion& question) {
  check_iterations(question.iterations);
  check_positive("accuracy", question.accuracy);
  const Subject subject{.derivative = problem_numbers(instance, ConstantScale::kDerivative),
                        .paper = problem_numbers(instance, ConstantScale::kPaper),
                        .question = question,
                        .config = config,
                        .instance = instance};
  TheoryReport out{.scale = own_numbers(subject).scale,
                   .constants = given_constants(subject),
                   .theorems = theorem_reports(subject),
                   .steps = {},
                   .bounds = {},
                   .plan = plan_report(own_numbers(subject), question.accuracy),
                   .no_plan = {}};
  for (const auto& more : {derived_constants(subject), errors(subject)}) {
    out.constants.insert(out.constants.end(), more.begin(), more.end());
  }
  out.steps = largest_steps(subject);
  out.bounds = bounds(subject, out.theorems);
  if (!out.plan) out.no_plan = failing(out.theorems[2]);
  return out;
}

}  // namespace rgu
