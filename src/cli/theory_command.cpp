// rgu theory: what the convergence theorems say about a problem, as numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "rgu/base/blas_setup.hpp"
#include "rgu/base/check.hpp"
#include "rgu/cli/command.hpp"
#include "rgu/cli/table.hpp"
#include "rgu/cli/terminal.hpp"
#include "rgu/experiment/local_constants.hpp"
#include "rgu/experiment/method.hpp"
#include "rgu/experiment/method_choice.hpp"
#include "rgu/experiment/stored_run.hpp"
#include "rgu/experiment/theory_report.hpp"
#include "rgu/record/json_values.hpp"

namespace rgu {
namespace {

struct TheoryArguments {
  ProblemArguments problem;  // or the folder of a run
  std::optional<std::uint64_t> seed;
  std::optional<Index> iterations;
  double accuracy = 0.01;
  bool json = false;
};

// What is looked at.
struct TheorySubject {
  ProblemConfig config;
  std::uint64_t seed = 0;
  TheoryQuestion question;
  bool is_run = false;
  std::vector<LocalPoint> local;  // of a run

  std::string scale() const {
    return config.gradient.policy_gradient == PolicyGradientScale::kPaper ? "paper" : "derivative";
  }
};

TheorySubject subject_of(const TheoryArguments& arguments) {
  TheorySubject out;
  if (std::filesystem::is_directory(arguments.problem.problem)) {
    check(arguments.problem.sets.empty(), "--set goes with a problem, not with a run");
    const RunFolder folder = RunFolder::open(arguments.problem.problem);
    out.config = read_run_config(folder);
    out.is_run = true;
    out.local = local_constants_of_run(out.config, folder);
  } else {
    out.config = arguments.problem.config();
  }
  check(!out.config.seeds.empty(), "seeds: there is none, must be at least one");
  out.seed = arguments.seed.value_or(out.config.seeds.front());
  const Index iterations =
      arguments.iterations.value_or(out.config.stopping.iterations.value_or(300));
  out.question = {.iterations = static_cast<double>(std::max<Index>(1, iterations)),
                  .accuracy = arguments.accuracy};
  return out;
}

const char* word(AssumptionState state) {
  switch (state) {
    case AssumptionState::kHolds:
      return "holds";
    case AssumptionState::kFails:
      return "fails";
    case AssumptionState::kUnknown:
      return "unknown";
  }
  return "";
}

Json to_json(const std::vector<TheoryNumber>& numbers) {
  Json out = Json::array();
  for (const TheoryNumber& number : numbers) {
    Json row = {{"symbol", number.symbol},
                {"meaning", number.meaning},
                {"derivative", rgu::to_json(number.derivative)},
                {"paper", rgu::to_json(number.paper)}};
    if (!number.reason.empty()) row["reason"] = number.reason;
    out.push_back(std::move(row));
  }
  return out;
}

Json to_json(const std::vector<AssumptionCheck>& checks) {
  Json out = Json::array();
  for (const AssumptionCheck& check : checks) {
    out.push_back({{"name", check.name}, {"state", word(check.state)}, {"reason", check.reason}});
  }
  return out;
}

Json to_json(const PlanReport& report) {
  Json rows = Json::array();
  for (const PlanRow& row : report.rows) {
    rows.push_back({{"k", rgu::to_json(row.iteration)},
                    {"inner_steps", rgu::to_json(row.inner_steps)},
                    {"trajectories", rgu::to_json(row.trajectories)},
                    {"horizon", rgu::to_json(row.horizon)},
                    {"policy_trajectories", rgu::to_json(row.policy_trajectories)},
                    {"policy_horizon", rgu::to_json(row.policy_horizon)}});
  }
  return {{"proximal_weight", rgu::to_json(report.settings.weight)},
          {"step", rgu::to_json(report.settings.step)},
          {"iterations", rgu::to_json(report.plan.iterations)},
          {"samples", rgu::to_json(report.plan.samples)},
          {"counts", rows}};
}

Json to_json(const std::vector<LocalPoint>& points) {
  Json out = Json::array();
  for (const LocalPoint& at : points) {
    out.push_back({{"seed", at.seed},
                   {"point", at.point},
                   {"L_thth", rgu::to_json(at.constants.policy_policy)},
                   {"L_thxi", rgu::to_json(at.constants.policy_nature)},
                   {"L_xith", rgu::to_json(at.constants.nature_policy)},
                   {"L_xixi", rgu::to_json(at.constants.nature_nature)},
                   {"L_F", rgu::to_json(at.constants.field)}});
  }
  return out;
}

Json to_json(const TheorySubject& subject, const Instance& instance, const TheoryReport& report) {
  const FiniteMdp& mdp = instance.world.mdp;
  Json theorems = Json::array();
  for (const TheoremReport& theorem : report.theorems) {
    theorems.push_back({{"name", theorem.name},
                        {"state", word(theorem.state())},
                        {"assumptions", to_json(theorem.assumptions)},
                        {"configured_steps", to_json(theorem.steps)}});
  }
  Json out = {{"name", subject.config.name},
              {"seed", subject.seed},
              {"states", mdp.states()},
              {"actions", mdp.actions()},
              {"discount", mdp.discount()},
              {"policy_parameters", instance.parameters->dimension()},
              {"nature_parameters", instance.ambiguity->dimension()},
              {"scale", subject.scale()},
              {"iterations", subject.question.iterations},
              {"accuracy", subject.question.accuracy},
              {"constants", to_json(report.constants)},
              {"theorems", theorems},
              {"steps", to_json(report.steps)},
              {"bounds", to_json(report.bounds)},
              {"plan", report.plan ? to_json(*report.plan) : Json()}};
  if (!report.plan) out["no_plan"] = report.no_plan;
  if (subject.is_run) out["measured"] = to_json(subject.local);
  return out;
}

// Flush right by hand: `table` sets a column with words flush left.
std::string right(const std::string& text) { return fmt::format("{:>10}", text); }

std::string constant_text(double value) {
  if (std::isinf(value)) return "none";
  return std::isnan(value) ? "-" : fmt::format("{:.3g}", value);
}

std::string step_text(double value) {
  if (value == 0) return "none";
  return std::isinf(value) ? "any" : fmt::format("{:.3g}", value);
}

template <class Text>
std::string number_table(const std::string& head, const std::vector<TheoryNumber>& numbers,
                         Text text) {
  std::vector<TableRow> rows = {{head, right("derivative"), right("paper"), "what"}};
  for (const TheoryNumber& number : numbers) {
    rows.push_back({number.symbol, right(text(number.derivative)), right(text(number.paper)),
                    number.reason.empty()
                        ? number.meaning
                        : fmt::format("{} (none: {})", number.meaning, number.reason)});
  }
  return table(rows);
}

const char* verdict(AssumptionState state) {
  switch (state) {
    case AssumptionState::kHolds:
      return "yes";
    case AssumptionState::kFails:
      return "no";
    case AssumptionState::kUnknown:
      return "perhaps";
  }
  return "";
}

// A line for each condition, a column for each theorem; "-" where the theorem does not ask for it.
void print_theorems(const std::vector<TheoremReport>& theorems) {
  TableRow head = {"assumption"};
  TableRow last = {"the theorem applies"};
  for (const TheoremReport& theorem : theorems) {
    head.push_back(theorem.name);
    last.push_back(verdict(theorem.state()));
  }
  head.emplace_back("because");
  last.emplace_back();
  std::vector<TableRow> rows = {head};
  for (std::size_t i = 0; i < theorems.size(); ++i) {
    for (const auto* checks : {&theorems[i].assumptions, &theorems[i].steps}) {
      for (const AssumptionCheck& check : *checks) {
        auto row = std::find_if(rows.begin(), rows.end(), [&](const TableRow& other) {
          return other.front() == check.name && other.back() == check.reason;
        });
        if (row == rows.end()) {
          TableRow blank(head.size(), "-");
          blank.front() = check.name;
          blank.back() = check.reason;
          row = rows.insert(rows.end(), std::move(blank));
        }
        (*row)[i + 1] = word(check.state);
      }
    }
  }
  rows.push_back(last);
  say("\n{}", Lines{table(rows)});
}

void print_plan(const TheorySubject& subject, const TheoryReport& report) {
  say("\nprox-extragradient to E[R_GM] <= {:.3g} ({} scale): ", subject.question.accuracy,
      subject.scale());
  if (!report.plan) return say("none ({})\n", report.no_plan);
  const auto& [settings, plan, counts] = *report.plan;
  say("{:.3g} outer iterations, {:.3g} sampled transitions\nwith sigma = {:.3g}, alpha = {:.3g}, "
      "c_opt = {:.3g}, c_mc = {:.3g}; exact gradients need T_k only\n",
      plan.iterations, plan.samples, settings.weight, settings.step, settings.optimisation_constant,
      settings.sampling_constant);
  std::vector<TableRow> rows = {{"k", "T_k", "m_k", "H_k", "m'_k", "H'_k"}};
  for (const PlanRow& row : counts) {
    TableRow cells;
    for (const double count : {row.iteration, row.inner_steps, row.trajectories, row.horizon,
                               row.policy_trajectories, row.policy_horizon}) {
      cells.push_back(count < 1e6 ? fmt::format("{}", count) : fmt::format("{:.3g}", count));
    }
    rows.push_back(std::move(cells));
  }
  say("{}", Lines{table(rows)});
}

TableRow local_row(std::string seed, std::string point, const LocalConstants& constants) {
  TableRow row = {std::move(seed), std::move(point)};
  for (const double value : {constants.policy_policy, constants.policy_nature,
                             constants.nature_policy, constants.nature_nature, constants.field}) {
    row.push_back(right(constant_text(value)));
  }
  return row;
}

// The constants of the theory, for comparison.
LocalConstants guaranteed(const TheorySubject& subject, const TheoryReport& report) {
  const auto value = [&](const char* symbol) {
    const auto found =
        std::find_if(report.constants.begin(), report.constants.end(),
                     [&](const TheoryNumber& number) { return number.symbol == symbol; });
    return subject.scale() == "paper" ? found->paper : found->derivative;
  };
  return {.policy_policy = value("L_thth"),
          .policy_nature = value("L_thxi"),
          .nature_policy = value("L_xith"),
          .nature_nature = value("L_xixi"),
          .field = value("L_F")};
}

void print_local(const TheorySubject& subject, const TheoryReport& report) {
  if (!subject.is_run) return;
  if (subject.local.empty()) {
    say("\nnothing is measured: the method of this run has no policy parameters\n");
    return;
  }
  say("\nmeasured in this run: spectral norms of second derivatives ({} scale)\n", subject.scale());
  std::vector<TableRow> rows = {{"seed", "at", right("L_thth"), right("L_thxi"), right("L_xith"),
                                 right("L_xixi"), right("L_F")}};
  for (const LocalPoint& at : subject.local) {
    rows.push_back(local_row(fmt::format("{}", at.seed), at.point, at.constants));
  }
  rows.push_back(local_row("-", "anywhere, at most", guaranteed(subject, report)));
  say("{}", Lines{table(rows)});
}

void print_text(const TheorySubject& subject, const Instance& instance,
                const TheoryReport& report) {
  const FiniteMdp& mdp = instance.world.mdp;
  say("{} (seed {}): {}\n", subject.config.name, subject.seed, subject.config.description);
  say("model: {} states, {} actions, discount {}; policy: {} parameters; nature: {} numbers\n",
      mdp.states(), mdp.actions(), mdp.discount(), instance.parameters->dimension(),
      instance.ambiguity->dimension());
  say("utility: {}\nambiguity: {}\nmethod: {}\n", instance.utility_text, instance.ambiguity_text,
      method_text(subject.config));
  say("\n{}", Lines{number_table("constant", report.constants, constant_text)});
  say("derivative: of the derivatives of f; paper: of its policy gradient, which is 1/(1 - "
      "discount) "
      "times\nthat of f. This problem's solver works in the scale \"{}\".\n",
      subject.scale());
  print_theorems(report.theorems);
  say("\n{}", Lines{number_table("step", report.steps, step_text)});
  const std::string head = fmt::format("bound at K = {}", subject.question.iterations);
  say("\n{}", Lines{number_table(head, report.bounds, constant_text)});
  print_plan(subject, report);
  print_local(subject, report);
}

int theory(const TheoryArguments& arguments) {
  prepare_blas();
  TheorySubject subject = subject_of(arguments);
  const Instance instance = make_instance(subject.config, subject.seed);
  subject.config.solver = chosen_method(subject.config, instance).solver;
  const TheoryReport report = theory_report(subject.config, instance, subject.question);
  if (arguments.json) {
    say_json(to_text(to_json(subject, instance, report)));
  } else {
    print_text(subject, instance, report);
  }
  return kDone;
}

}  // namespace

void add_theory(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "theory", "What the convergence theorems say about a problem, or a run, as numbers");
  auto arguments = std::make_shared<TheoryArguments>();
  command
      ->add_option("problem", arguments->problem.problem,
                   "A built-in problem, a TOML file, or the folder of a run (measures there too)")
      ->required()
      ->type_name("NAME|FILE|RUN");
  command
      ->add_option("--set", arguments->problem.sets,
                   "Change one key of the problem, such as model.discount=0.5 (may be repeated)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("--seed", arguments->seed, "The seed to look at (default: the first)")
      ->type_name("N");
  command
      ->add_option("--iterations", arguments->iterations,
                   "K of the bounds (default: stopping.iterations)")
      ->type_name("K")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--accuracy", arguments->accuracy,
                   "Accuracy that the schedules are for (default 0.01)")
      ->type_name("X")
      ->check(CLI::PositiveNumber);
  command->add_flag("--json", arguments->json, "Print as JSON");
  command->footer(
      "Example:\n  rgu theory reward-robust --accuracy 0.1\n  rgu theory runs/reward-robust");
  command->callback([arguments, &chosen] { chosen = [arguments] { return theory(*arguments); }; });
}

}  // namespace rgu
