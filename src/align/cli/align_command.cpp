// rgu align: a run from a file or from options; resume, report, keys.
#include "rgu/align/cli/align_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "rgu/align/cli/align_display.hpp"
#include "rgu/align/cli/align_job.hpp"
#include "rgu/align/cli/demo_command.hpp"
#include "rgu/align/cli/scorer_argument.hpp"
#include "rgu/align/config_file.hpp"
#include "rgu/align/training/together.hpp"
#include "rgu/base/check.hpp"
#include "rgu/base/nearest_name.hpp"
#include "rgu/cli/exit_code.hpp"
#include "rgu/cli/interrupt.hpp"
#include "rgu/cli/key_list.hpp"
#include "rgu/cli/terminal.hpp"

namespace rgu::align {
namespace {

namespace fs = std::filesystem;

struct ConfigArguments {
  std::string file;
  std::string model, tokenizer, adapter;
  std::vector<std::string> rewards, costs, data;
  std::optional<double> threshold, most_multiplier;
  std::optional<Index> iterations;
  std::optional<Index> seeds;
  std::vector<std::string> sets;

  void add_to(CLI::App& command) {
    command.add_option("config", file, "A file; 'rgu align keys' lists what it may say")
        ->type_name("CONFIG.toml");
    command.add_option("--model,-m", model, "The policy: a language model")->type_name("MODEL");
    command.add_option("--tokenizer", tokenizer, "Its tokenizer (default: in the model's folder)")
        ->type_name("PATH");
    command.add_option("--adapter", adapter, "An adapter to go on from")->type_name("DIR");
    command
        .add_option("--reward", rewards,
                    "What is to be large: [NAME=]DIR, lexicon:FILE, linear:FILE or "
                    "command:PROGRAM; of several, nature chooses the weights")
        ->type_name("SCORER")
        ->take_all();
    command
        .add_option("--cost", costs, "What must stay below a threshold: as --reward, any number")
        ->type_name("SCORER")
        ->take_all();
    command
        .add_option("--data", data,
                    "Prompts: PKU-SafeRLHF JSON lines, or a prompt a line; .gz, .xz too")
        ->type_name("FILE")
        ->take_all();
    command.add_option("--threshold", threshold, "Of every cost (default 0)")->type_name("D");
    command.add_option("--max-multiplier", most_multiplier, "Of every cost (default 5)")
        ->type_name("XI");
    command.add_option("--iterations", iterations, "Outer steps (default 100)")->type_name("K");
    command.add_option("--seeds", seeds, "Number of seeds 0, 1, .. (default 1)")->type_name("N");
    command.add_option("--set", sets, "Any other key: ppo.learning_rate=1e-4")
        ->type_name("KEY=VALUE")
        ->take_all();
  }

  AlignConfig config() const;
  bool names_all_commands_of(const AlignConfig& config) const;
};

std::vector<ScorerConfig> scorers(const std::vector<std::string>& texts, const std::string& name) {
  std::vector<ScorerConfig> all;
  for (const std::string& text : texts) {
    const std::string usual = texts.size() == 1 ? name : fmt::format("{}{}", name, all.size() + 1);
    all.push_back(scorer_from(text, usual));
  }
  return all;
}

// A command that is misspelt is taken for a config file.
void check_is_file(const std::string& file) {
  const std::vector<std::string> commands = {"demo", "resume", "report", "keys"};
  check(fs::exists(file), "cannot read {}: no such file{}", file, did_you_mean(file, commands));
}

AlignConfig ConfigArguments::config() const {
  AlignConfig config;
  if (!file.empty()) {
    check_is_file(file);
    config = read_config(
        {.name = file, .text = read_text(file), .folder = fs::absolute(file).parent_path()});
  }
  check(
      !file.empty() || (!model.empty() && !rewards.empty() && !data.empty()),
      "give a config file, or --model, --reward and --data at least; 'rgu align demo' needs none");
  if (!model.empty()) config.policy.model = fs::absolute(model);
  if (!tokenizer.empty()) config.policy.tokenizer = fs::absolute(tokenizer);
  if (!adapter.empty()) config.policy.adapter = fs::absolute(adapter);
  if (!rewards.empty()) config.rewards = scorers(rewards, "reward");
  if (!costs.empty()) {
    config.constraints.clear();
    for (ScorerConfig& scorer : scorers(costs, "cost")) {
      config.constraints.push_back({.scorer = std::move(scorer)});
    }
  }
  check(!config.constraints.empty() || (!threshold && !most_multiplier),
        "--threshold and --max-multiplier are of costs: give a --cost too");
  if (!data.empty()) config.data.prompts.clear();
  for (const std::string& path : data) config.data.prompts.push_back(fs::absolute(path));
  for (ConstraintConfig& constraint : config.constraints) {
    constraint.threshold = threshold.value_or(constraint.threshold);
    constraint.most_multiplier = most_multiplier.value_or(constraint.most_multiplier);
  }
  config.stopping.iterations = iterations.value_or(config.stopping.iterations);
  std::vector<std::string> overrides = sets;
  if (seeds) overrides.insert(overrides.begin(), fmt::format("seeds={}", *seeds));
  if (config.name.empty()) config.name = file.empty() ? "align" : fs::path(file).stem().string();
  // Once more through the reader: what the options gave is checked as what a file gives.
  return read_config(
      {.name = file.empty() ? "the options" : file, .text = to_toml(config), .folder = {}},
      overrides);
}

using Words = std::vector<std::string>;

// The commands among the scorers.
std::vector<Words> commands_of(const std::vector<ScorerConfig>& scorers) {
  std::vector<Words> all;
  for (const ScorerConfig& scorer : scorers) {
    const auto* command = std::get_if<CommandScorerConfig>(&scorer.kind);
    if (command != nullptr) all.push_back(command->command);
  }
  return all;
}

std::vector<ScorerConfig> costs_of(const AlignConfig& config) {
  std::vector<ScorerConfig> all;
  for (const ConstraintConfig& constraint : config.constraints) all.push_back(constraint.scorer);
  return all;
}

bool are_among(const std::vector<Words>& asked, const std::vector<Words>& typed) {
  return std::all_of(asked.begin(), asked.end(), [&](const Words& command) {
    return std::find(typed.begin(), typed.end(), command) != typed.end();
  });
}

// Whoever types a program behind --reward or --cost wants it to run: that, there, and no other.
bool ConfigArguments::names_all_commands_of(const AlignConfig& config) const {
  return are_among(commands_of(config.rewards), commands_of(scorers(rewards, "reward"))) &&
         are_among(commands_of(costs_of(config)), commands_of(scorers(costs, "cost")));
}

struct MachineArguments {
  ThreadArgument threads;
  std::string device = "cpu";
  bool allow_commands = false;
  bool json = false;
  bool quiet = false;

  void add_to(CLI::App& command) {
    threads.add_to(command);
    command.add_option("--device", device, "cpu, cuda, cuda:1, ..")->capture_default_str();
    command.add_flag("--allow-commands", allow_commands,
                     "Start the programs of scorers of the kind 'command' in the config");
    command.add_flag("--json", json, "Print the results as JSON");
    command.add_flag("--quiet,-q", quiet, "No progress");
  }
  MachineOptions options(const Ranks& ranks) const {
    return {.threads = threads.threads > 0 ? threads.threads : usual_threads(ranks),
            .device = device,
            .commands = allow_commands ? Commands::kAllow : Commands::kRefuse};
  }
};

// Consent is never stored: it is to be given again.
std::string resume_command(const Setup& setup, const std::string& where) {
  const bool has_commands =
      !commands_of(setup.config.rewards).empty() || !commands_of(costs_of(setup.config)).empty();
  return fmt::format("rgu align resume {}{}", where, has_commands ? " --allow-commands" : "");
}

// What fails in the middle, a scorer's program for one, can be mended and the run gone on with.
std::vector<SeedOutcome> run_shown(const Setup& setup, const RunFolder& folder,
                                   const MachineArguments& arguments, Ranks& ranks) {
  RunDisplay display(
      arguments.quiet ? llm::LmProgress::Style::kQuiet : llm::LmProgress::Style::kAuto,
      setup.config.name, setup.config.seeds.size());
  RunnerOptions options = display.options();
  options.ranks = &ranks;
  const std::string where = fs::proximate(folder.path()).string();
  const auto mended = [&](const InvalidInput& error) {
    return fmt::format("{}; once that is mended, '{}' goes on", error.what(),
                       resume_command(setup, where));
  };
  try {
    return run_seeds(setup, folder, options);
  } catch (const SharedComplaint& error) {
    throw SharedComplaint(mended(error));
  } catch (const InvalidInput& error) {
    throw InvalidInput(mended(error));
  } catch (const RankLost& error) {
    throw std::runtime_error(
        fmt::format("{}; the last checkpoint in {} stands: '{}' goes on, with any number of "
                    "processes",
                    error.what(), where, resume_command(setup, where)));
  }
}

int run_and_tell(const Setup& setup, const RunFolder& folder, const MachineArguments& arguments,
                 Ranks& ranks) {
  const std::vector<SeedOutcome> outcomes = run_shown(setup, folder, arguments, ranks);
  const RunRecord run = read_run(folder.path());
  const fs::path page = write_report(folder.path(), run);
  const int code = exit_code(outcomes, run);
  if (arguments.json) {
    Json json = summary_json(run);
    json["folder"] = folder.path().string();
    json["report"] = page.string();
    say_json(to_text(json));
    return code;
  }
  const std::string where = fs::proximate(folder.path()).string();
  say("{}run folder: {}\nreport: {}\n", Lines{summary_text(run)}, where,
      fs::proximate(page).string());
  if (code == kInterrupted) say("interrupted; '{}' goes on\n", resume_command(setup, where));
  return code;
}

// Rank 0 has the folder; the others take part in its work and end as it does.
int run_on(Ranks& ranks, const Setup& setup, const MachineArguments& arguments,
           const std::function<OpenRun()>& open) {
  std::optional<OpenRun> run;
  gathered(ranks, [&] {
    if (ranks.leads()) run.emplace(open());
    return std::string();
  });
  int code = kDone;
  if (run) {
    code = run_and_tell(setup, run->folder, arguments, ranks);
  } else {
    help_run_seeds(setup, {.interrupt = &interrupt_flag(), .ranks = &ranks});
  }
  broadcast(ranks, code);
  return code;
}

struct AlignArguments {
  ConfigArguments config;
  MachineArguments machine;
  std::string out;
  bool force = false;
};

int align(const AlignArguments& arguments, Ranks& ranks) {
  const AlignConfig config = config_of_job(ranks, [&] { return arguments.config.config(); });
  MachineOptions machine = arguments.machine.options(ranks);
  if (arguments.config.names_all_commands_of(config)) machine.commands = Commands::kAllow;
  const Setup setup = setup_of_job(ranks, config, machine);
  return run_on(ranks, setup, arguments.machine, [&] {
    const fs::path path =
        arguments.out.empty() ? free_run_folder(config.name) : fs::path(arguments.out);
    return begin_run(setup, path, arguments.force ? ExistingRun::kReplace : ExistingRun::kRefuse);
  });
}

struct ResumeArguments {
  std::string run;
  std::optional<Index> iterations;
  MachineArguments machine;
};

int resume(const ResumeArguments& arguments, Ranks& ranks) {
  std::vector<std::string> overrides;
  if (arguments.iterations) {
    overrides.push_back(fmt::format("stopping.iterations={}", *arguments.iterations));
  }
  const AlignConfig config =
      config_of_job(ranks, [&] { return stored_config(arguments.run, overrides); });
  const Setup setup = setup_of_job(ranks, config, arguments.machine.options(ranks));
  return run_on(ranks, setup, arguments.machine, [&] { return reopen_run(setup, arguments.run); });
}

void add_resume(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("resume", "Go on with a run that was interrupted");
  auto arguments = std::make_shared<ResumeArguments>();
  command->add_option("run", arguments->run, "Its folder")->required()->type_name("RUN");
  command->add_option("--iterations", arguments->iterations, "Outer steps, if more are wanted")
      ->type_name("K");
  arguments->machine.add_to(*command);
  command->footer("Example:\n  rgu align resume runs/align");
  command->callback([arguments, &chosen] {
    chosen = [arguments] {
      return run_in_job([&](Ranks& ranks) { return resume(*arguments, ranks); });
    };
  });
}

int report(const std::string& folder) {
  const RunRecord run = read_run(folder);
  say("{}report: {}\n", Lines{summary_text(run)},
      fs::proximate(write_report(folder, run)).string());
  return kDone;
}

void add_report(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("report", "The results of a run, and its page anew");
  auto folder = std::make_shared<std::string>();
  command->add_option("run", *folder, "Its folder")->required()->type_name("RUN");
  command->footer("Example:\n  rgu align report runs/align");
  command->callback([folder, &chosen] { chosen = [folder] { return report(*folder); }; });
}

}  // namespace

void set_up_align(CLI::App& app, Command& chosen) {
  app.description("Align a language model: helpful under a bound on harm, by PGDA with PPO");
  auto arguments = std::make_shared<AlignArguments>();
  arguments->config.add_to(app);
  app.add_option("--out,-o", arguments->out, "Folder of the run (default: runs/NAME)")
      ->type_name("DIR");
  app.add_flag("--force", arguments->force, "Replace a run that is there");
  arguments->machine.add_to(app);
  app.require_subcommand(0, 1);
  app.footer(
      "Examples:\n"
      "  rgu align demo                                   watch it at work, nothing to download\n"
      "  rgu align --model pythia-70m --reward beaver-reward --cost beaver-cost \\\n"
      "            --data PKU-SafeRLHF.jsonl.xz --out runs/pythia\n"
      "  rgu align --model M --reward lexicon:good.txt --cost 'command:python3 judge.py' \\\n"
      "            --data prompts.txt\n"
      "  rgu align run.toml --set ppo.learning_rate=1e-4\n"
      "  rgu align resume runs/pythia");
  add_demo(app, chosen);
  add_resume(app, chosen);
  add_report(app, chosen);
  add_key_list(app, chosen,
               {.what = "a config file of an alignment run",
                .example = "rgu align keys ppo",
                .keys = config_keys});
  app.callback([arguments, &app, &chosen] {
    if (!app.get_subcommands().empty()) return;
    chosen = [arguments] {
      return run_in_job([&](Ranks& ranks) { return align(*arguments, ranks); });
    };
  });
}

}  // namespace rgu::align
