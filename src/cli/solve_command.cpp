// rgu solve, rgu resume: run all seeds, record, report.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "rgu/base/check.hpp"
#include "rgu/base/folder_lock.hpp"
#include "rgu/cli/command.hpp"
#include "rgu/cli/interrupt.hpp"
#include "rgu/cli/job.hpp"
#include "rgu/cli/progress_display.hpp"
#include "rgu/cli/run_summary.hpp"
#include "rgu/cli/terminal.hpp"
#include "rgu/experiment/runner.hpp"
#include "rgu/experiment/spread.hpp"
#include "rgu/experiment/stored_run.hpp"
#include "rgu/record/run_files.hpp"

namespace rgu {
namespace {

namespace fs = std::filesystem;

// --spread.
const std::map<std::string, Spread> kSpreads = {{"seeds", Spread::kSeeds},
                                                {"samples", Spread::kSamples}};

struct OutputArguments {
  bool json = false;
  bool quiet = false;
  ThreadArgument threads;
  std::string spread;  // empty: chosen

  void add_to(CLI::App& command) {
    threads.add_to(command);
    command.add_flag("--json", json, "Print the results as JSON");
    command.add_flag("--quiet,-q", quiet, "No progress");
    command
        .add_option(
            "--spread", spread,
            "Under mpirun, what the processes share: 'seeds', or the 'samples' of each batch "
            "(default: seeds where gradients are exact or there are enough of them)")
        ->check(CLI::IsMember(kSpreads));
  }
};

int exit_code(const std::vector<SeedOutcome>& outcomes, const RunRecord& run) {
  for (const SeedOutcome& outcome : outcomes) {
    if (outcome.status == Status::kInterrupted) return kInterrupted;
  }
  const bool infeasible = std::any_of(run.seeds.begin(), run.seeds.end(),
                                      [](const auto& seed) { return seed.limits.is_infeasible(); });
  if (infeasible) return kInfeasible;
  const bool solved = std::all_of(run.seeds.begin(), run.seeds.end(),
                                  [](const SeedRecord& seed) { return seed.solved; });
  return solved ? kDone : kNotSolved;
}

int run_and_tell(const ProblemConfig& config, const RunFolder& folder,
                 const OutputArguments& output, RunnerOptions options) {
  std::vector<SeedOutcome> outcomes;
  {
    const auto style =
        output.quiet ? ProgressDisplay::Style::kQuiet : ProgressDisplay::Style::kAuto;
    ProgressDisplay display(config, style);
    options.threads = output.threads.count();
    options.ranks = &job_ranks();
    if (!output.spread.empty()) options.spread = kSpreads.at(output.spread);
    options.interrupt = &interrupt_flag();
    options.progress = [&](const Progress& progress) { display.show(progress); };
    const WaitedFor by_the_others;
    try {
      outcomes = run_seeds(config, folder, options);
    } catch (const RankLost& lost) {
      throw RankLost(fmt::format(
          "{}; what the last checkpoints hold is safe: 'rgu resume {}' goes on, with any number of "
          "processes",
          lost.what(), fs::proximate(folder.path()).string()));
    }
  }
  const RunRecord run = read_run(folder);
  const fs::path page = write_report(folder, run);
  const int code = exit_code(outcomes, run);
  if (output.json) {
    Json json = summary_json(run);
    json["folder"] = folder.path().string();
    json["report"] = page.string();
    say_json(to_text(json));
    return code;
  }
  say("{}\nrun folder: {}\nreport: {}\n", Lines{summary(run)},
      fs::proximate(folder.path()).string(), fs::proximate(page).string());
  if (code == kInterrupted) {
    say("interrupted; 'rgu resume {}' goes on\n", fs::proximate(folder.path()).string());
  }
  return code;
}

struct SolveArguments {
  ProblemArguments problem;
  std::string method;
  OutputArguments output;
  std::string out;
  bool force = false;
  bool tensorboard = false;
};

// --method takes the place of the whole table: keys of another method would only be refused.
ProblemConfig config_of(const SolveArguments& arguments) {
  ProblemArguments problem = arguments.problem;
  if (!arguments.method.empty()) {
    check(arguments.method.find_first_of("\"'{}\\\n") == std::string::npos,
          "--method {}: not the name of a method; 'rgu keys' lists them", arguments.method);
    problem.sets.insert(problem.sets.begin(),
                        fmt::format("solver={{method=\"{}\"}}", arguments.method));
  }
  return problem.config();
}

// On every rank but 0.
int assist(const OutputArguments& output) {
  const WaitedFor by_rank_0;
  assist(job_ranks(), output.threads.count());
  return kDone;
}

// Rank 0's side of a command: where it fails before there is work for the others, they go home.
template <class Prepare>
auto leading(const Prepare& prepare) {
  try {
    return prepare();
  } catch (...) {
    dismiss(job_ranks());
    throw;
  }
}

struct PreparedRun {
  ProblemConfig config;
  OpenRun run;
};

PreparedRun begun(const SolveArguments& arguments) {
  ProblemConfig config = config_of(arguments);
  config.output.tensorboard = config.output.tensorboard || arguments.tensorboard;
  const fs::path path =
      arguments.out.empty() ? free_run_folder(config.name) : fs::path(arguments.out);
  interrupt_flag();  // from here on Ctrl-C leaves a whole folder behind
  OpenRun run =
      begin_run(config, path, arguments.force ? ExistingRun::kReplace : ExistingRun::kRefuse);
  return {.config = std::move(config), .run = std::move(run)};
}

int solve(const SolveArguments& arguments) {
  if (!job_ranks().leads()) return assist(arguments.output);
  const PreparedRun prepared = leading([&] { return begun(arguments); });
  return run_and_tell(prepared.config, prepared.run.folder, arguments.output, {});
}

struct ResumeArguments {
  std::string run;
  std::vector<std::string> sets;
  OutputArguments output;
};

// Only what does not change the iterates may be changed on the way.
void check_resumable(const std::string& set) {
  check(set.starts_with("stopping.") || set.starts_with("output."),
        "--set {}: a run can be resumed with other stopping.* and output.* only", set);
}

void check_not_passed(const ProblemConfig& config, const RunRecord& run) {
  if (!config.stopping.iterations) return;
  for (const SeedRecord& seed : run.seeds) {
    const Index done = seed.metrics.empty() ? 0 : seed.metrics.back().iteration;
    check(done <= *config.stopping.iterations,
          "stopping.iterations is {}, must be at least the {} that seed {} has done",
          *config.stopping.iterations, done, seed.seed);
  }
}

PreparedRun reopened(const ResumeArguments& arguments) {
  for (const std::string& set : arguments.sets) check_resumable(set);
  RunFolder folder = RunFolder::open(arguments.run);
  FolderLock lock(folder.path());
  remove_partial_files(folder.path());
  ProblemConfig config = read_run_config(folder, arguments.sets);
  check_not_passed(config, read_run(folder));
  if (!arguments.sets.empty()) write_file(folder.config(), to_toml(config));
  return {.config = std::move(config),
          .run = {.folder = std::move(folder), .lock = std::move(lock)}};
}

int resume(const ResumeArguments& arguments) {
  if (!job_ranks().leads()) return assist(arguments.output);
  const PreparedRun prepared = leading([&] { return reopened(arguments); });
  return run_and_tell(prepared.config, prepared.run.folder, arguments.output,
                      {.reopen = !arguments.sets.empty()});
}

}  // namespace

void add_solve(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("solve", "Find a robust policy, record and report it");
  auto arguments = std::make_shared<SolveArguments>();
  arguments->problem.add_to(*command);
  command
      ->add_option(
          "--method", arguments->method,
          "auto, envelope, occupancy, worst-case, pgda, pgda-lp or prox-extragradient, with "
          "its own defaults (default: what the problem says; else auto, the strongest "
          "guarantee the problem admits)")
      ->type_name("NAME");
  command->add_option("--out,-o", arguments->out, "Folder of the run (default: runs/NAME)")
      ->type_name("DIR");
  command->add_flag("--force", arguments->force, "Replace the run that is there");
  command->add_flag("--tensorboard", arguments->tensorboard, "Also write TensorBoard event files");
  arguments->output.add_to(*command);
  command->footer(
      "Examples:\n"
      "  rgu solve exploration\n"
      "  rgu solve exploration --method auto\n"
      "  rgu solve reward-robust --method envelope --set solver.tolerance=1e-8\n"
      "  rgu solve exploration --set ambiguity.radius=0.3 --seeds 3 --out runs/small\n"
      "  rgu solve my-problem.toml --set gradient.kind=sampled --json");
  command->callback([arguments, &chosen] { chosen = [arguments] { return solve(*arguments); }; });
}

void add_resume(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("resume", "Go on with a run that was interrupted, killed or cut short");
  auto arguments = std::make_shared<ResumeArguments>();
  command->add_option("run", arguments->run, "Folder of the run")->required()->type_name("RUN");
  command
      ->add_option("--set", arguments->sets,
                   "Change a key of stopping or output, such as stopping.iterations=2000")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  arguments->output.add_to(*command);
  command->footer(
      "What is written is the same, byte for byte, as by a run that was never stopped, but for "
      "the\n"
      "wall times in timing.jsonl, the report and TensorBoard files.\n\n"
      "Examples:\n"
      "  rgu resume runs/exploration\n"
      "  rgu resume runs/exploration --set stopping.iterations=5000");
  command->callback([arguments, &chosen] { chosen = [arguments] { return resume(*arguments); }; });
}

}  // namespace rgu
