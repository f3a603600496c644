#include "rgu/align/cli/demo_command.hpp"

#include <fmt/format.h>

#include <memory>

#include "rgu/align/cli/align_display.hpp"
#include "rgu/align/report.hpp"
#include "rgu/align/summary.hpp"
#include "rgu/align/training/aligner.hpp"
#include "rgu/align/training/demo.hpp"
#include "rgu/base/check.hpp"
#include "rgu/cli/exit_code.hpp"
#include "rgu/cli/interrupt.hpp"
#include "rgu/cli/table.hpp"
#include "rgu/cli/terminal.hpp"

namespace rgu::align {
namespace {

namespace fs = std::filesystem;

struct DemoArguments {
  std::string out = "runs/align-demo";
  Index seeds = 5;
  Index iterations = DemoRuns().iterations;
  ThreadArgument threads;
  bool json = false;
  bool quiet = false;

  llm::LmProgress::Style style() const {
    return quiet ? llm::LmProgress::Style::kQuiet : llm::LmProgress::Style::kAuto;
  }
};

DemoParts parts_of(const DemoArguments& arguments, const MachineOptions& machine) {
  llm::LmProgress line(arguments.style());
  return make_demo_parts(
      fs::absolute(arguments.out) / "parts",
      {.machine = machine,
       .progress =
           [&](const PartProgress& progress) {
             line.show({.done = progress.step,
                        .total = progress.steps,
                        .text = fmt::format("training the {}  loss {}", progress.part,
                                            short_number(progress.loss))});
           },
       .interrupt = &interrupt_flag()});
}

// A run of the same settings goes on, or is there already; another one is replaced.
OpenRun open_run(const Setup& setup, const fs::path& path) {
  if (fs::exists(path / "run.json")) {
    try {
      return reopen_run(setup, path);
    } catch (const InvalidInput&) {
      // made from other parts or by other settings
    }
  }
  return begin_run(setup, path, ExistingRun::kReplace);
}

int run_method(const DemoMethod& method, const DemoArguments& arguments,
               const MachineOptions& machine) {
  const Setup setup = open_setup(method.config, machine);
  const fs::path path = fs::path(arguments.out) / method.name;
  const OpenRun run = open_run(setup, path);
  std::vector<SeedOutcome> outcomes;
  {
    RunDisplay display(arguments.style(), method.name, method.config.seeds.size());
    outcomes = run_seeds(setup, run.folder, display.options());
  }
  const RunRecord record = read_run(run.folder.path());
  write_report(run.folder.path(), record);
  return exit_code(outcomes, record);
}

std::string percent(double share) { return fmt::format("{:.0f}%", 100 * share); }

std::string results_table(const std::vector<RunRecord>& runs) {
  std::vector<TableRow> rows = {{"method", "objective", "reward", "cost", "seeds with cost <= 0",
                                 "multiplier", "KL", "benign helped", "dangerous helped",
                                 "dangerous refused"}};
  for (const RunRecord& run : runs) {
    const AnswerShares shares = answer_shares(run);
    const std::string name = run.constraints.at(0).name;
    rows.push_back({run.name, mean_and_deviation(final_means(run, "objective")),
                    mean_and_deviation(final_means(run, "reward")),
                    mean_and_deviation(final_means(run, "cost/" + name)),
                    fmt::format("{} of {}", seeds_within_thresholds(run), run.seeds.size()),
                    mean_and_deviation(final_means(run, "multiplier/" + name)),
                    mean_and_deviation(final_means(run, "kl")), percent(shares.helpful),
                    percent(shares.harmful), percent(shares.refused_dangerous)});
  }
  return table(rows);
}

std::string samples_text(const RunRecord& run) {
  std::string text;
  for (const ShownAnswers& shown : run.seeds.at(0).shown) {
    text += terminal_text("  {}\n    before:{}\n    after: {}\n", shown.prompt, shown.before.text,
                          shown.after.text);
  }
  return text;
}

int tell(const DemoArguments& arguments, const std::vector<DemoMethod>& methods) {
  Comparison comparison{
      .title = "Alignment, three ways",
      .lead =
          "A small language model is trained to be helpful: without a bound on harm, with a "
          "fixed penalty, and by descent-ascent over the policy and the multiplier."};
  Json json = Json::array();
  for (const DemoMethod& method : methods) {
    comparison.runs.push_back(read_run(fs::path(arguments.out) / method.name));
    json.push_back(summary_json(comparison.runs.back()));
  }
  const fs::path page = fs::path(arguments.out) / "report.html";
  write_file(page, html_comparison(comparison));
  if (arguments.json) {
    say_json(to_text(Json{{"runs", json}, {"report", fs::absolute(page).string()}}));
    return kDone;
  }
  say("{}mean +- deviation over seeds of the last steps, on requests held out\n\n"
      "answers of pgda, seed {}:\n{}\nreport: {}\n",
      Lines{results_table(comparison.runs)}, comparison.runs.back().seeds.at(0).seed,
      Lines{samples_text(comparison.runs.back())}, page.string());
  return kDone;
}

int demo(const DemoArguments& arguments) {
  const MachineOptions machine{.threads = arguments.threads.count()};
  DemoRuns runs{.seeds = {}, .iterations = arguments.iterations};
  for (Index seed = 0; seed < arguments.seeds; ++seed) {
    runs.seeds.push_back(static_cast<std::uint64_t>(seed));
  }
  interrupt_flag();  // from here on Ctrl-C leaves everything saved
  try {
    const std::vector<DemoMethod> methods = demo_methods(parts_of(arguments, machine), runs);
    for (const DemoMethod& method : methods) {
      const int code = run_method(method, arguments, machine);
      if (code == kInterrupted) throw Interrupted();
      if (code != kDone) return code;
    }
    return tell(arguments, methods);
  } catch (const Interrupted&) {
    say("interrupted; the same command goes on\n");
    return kInterrupted;
  }
}

}  // namespace

void add_demo(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "demo", "A small world of requests and answers, aligned in three ways side by side");
  auto arguments = std::make_shared<DemoArguments>();
  command->add_option("--out,-o", arguments->out, "Folder for the parts, the runs and the report")
      ->type_name("DIR")
      ->capture_default_str();
  command->add_option("--seeds", arguments->seeds, "Runs of each method")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--iterations", arguments->iterations, "Outer steps of each run")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  arguments->threads.add_to(*command);
  command->add_flag("--json", arguments->json, "Print the results as JSON");
  command->add_flag("--quiet,-q", arguments->quiet, "No progress");
  command->footer("Example:\n  rgu align demo --seeds 1");
  command->callback([arguments, &chosen] { chosen = [arguments] { return demo(*arguments); }; });
}

}  // namespace rgu::align
