// rgu convert: models from one file format to another, and from problems to files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>

#include "rgu/base/check.hpp"
#include "rgu/cli/command.hpp"
#include "rgu/cli/terminal.hpp"
#include "rgu/experiment/in_table.hpp"
#include "rgu/experiment/instance_model.hpp"
#include "rgu/experiment/model_slice.hpp"
#include "rgu/mdp/io/world_file.hpp"
#include "rgu/record/json_values.hpp"

namespace rgu {
namespace {

namespace fs = std::filesystem;

struct ConvertArguments {
  std::string in;
  std::string out;
  std::optional<double> discount;
  std::string missing_actions = "error";
  std::string dead_states = "error";
  std::optional<std::string> reward;
  std::optional<std::uint64_t> seed;
  std::vector<std::string> sets;
  bool force = false;
  bool json = false;
};

// These formats hold one reward and little else.
bool holds_everything(const fs::path& file) {
  return file.extension() == ".rgum" || file.extension() == ".json";
}

// Every file that writing `out` makes.
std::vector<fs::path> files_of(const fs::path& out) {
  std::vector<fs::path> files = {out};
  if (out.extension() != ".tra") return files;
  for (const char* ending : {".trew", ".srew", ".lab"}) {
    files.push_back(fs::path(out).replace_extension(ending));
  }
  return files;
}

// Before anything is read, which may take long.
void check_output(const ConvertArguments& arguments) {
  check(is_world_file(arguments.out), "{}: must end in .rgum, .json, .csv or .tra", arguments.out);
  check(!arguments.reward || !holds_everything(arguments.out),
        "--reward is for .csv and .tra files, which hold one signal; {} holds all", arguments.out);
  if (arguments.force) return;
  for (const fs::path& file : files_of(arguments.out)) {
    std::error_code ignored;
    const auto status = fs::symlink_status(file, ignored);
    const bool there = fs::is_regular_file(status) || fs::is_symlink(status);
    check(!there, "{} is there already; --force replaces it", file.string());
  }
}

World world_in_file(const ConvertArguments& arguments) {
  check(!arguments.seed && arguments.sets.empty(),
        "--seed and --set are for problems, and {} is a model file", arguments.in);
  ReadOptions options{.discount = arguments.discount};
  if (arguments.missing_actions == "repeat-first") {
    options.missing_actions = MissingActions::kRepeatFirst;
  } else if (arguments.missing_actions == "repeat-last") {
    options.missing_actions = MissingActions::kRepeatLast;
  }
  if (arguments.dead_states == "absorb") options.dead_states = DeadStates::kAbsorb;
  check(options.discount || holds_everything(arguments.in),
        "{} holds no discount; give one with --discount", arguments.in);
  return read_world(arguments.in, options);
}

World world_of_problem(const ConvertArguments& arguments) {
  check(!arguments.discount && arguments.missing_actions == "error" &&
            arguments.dead_states == "error",
        "--discount, --missing-actions and --dead-states are for model files, and {} is a problem; "
        "--set model.discount=.. changes it",
        arguments.in);
  const ProblemConfig config =
      ProblemArguments{.problem = arguments.in, .sets = arguments.sets, .seeds = {}}.config();
  const std::uint64_t seed = arguments.seed.value_or(config.seeds.front());
  return in_table("model", [&] { return make_world(config.model, seed); });
}

// The signal that a format with one reward gets; empty for zeros.
std::string written_signal(const ConvertArguments& arguments, const World& world) {
  const bool none = !arguments.reward && world.signals.empty();
  if (none || holds_everything(arguments.out)) return "";
  std::string name = arguments.reward.value_or("reward");
  check(arguments.reward.has_value() || world.signals.contains(name),
        "{} holds one signal and the model has none named reward; choose one with --reward",
        arguments.out);
  if (!name.empty()) signal_named(world, name);
  return name;
}

// What the file does not hold of the world, in words.
std::vector<std::string> lost_parts(const ConvertArguments& arguments, const World& world,
                                    const std::string& reward) {
  std::vector<std::string> lost;
  if (holds_everything(arguments.out)) return lost;
  lost.push_back(fmt::format("the discount {}", world.mdp.discount()));
  const Vector& start = world.mdp.start();
  // PRISM's files hold the start, or are refused by their writer.
  if (fs::path(arguments.out).extension() == ".csv" && start.minCoeff() != start.maxCoeff()) {
    lost.push_back("the start distribution");
  }
  for (const auto& [name, values] : world.signals) {
    if (name != reward) lost.push_back(fmt::format("the signal {}", name));
  }
  if (world.grid) lost.push_back("the grid");
  return lost;
}

int convert(const ConvertArguments& arguments) {
  check_output(arguments);
  const World world =
      is_world_file(arguments.in) ? world_in_file(arguments) : world_of_problem(arguments);
  const std::string reward = written_signal(arguments, world);
  write_world(arguments.out, world, {.reward = reward});
  const std::vector<std::string> lost = lost_parts(arguments, world, reward);
  if (!lost.empty()) {
    say(stderr, "note: {} does not hold {}\n", arguments.out,
        fmt::to_string(fmt::join(lost, ", ")));
  }
  std::uintmax_t bytes = 0;
  for (const fs::path& file : files_of(arguments.out)) bytes += fs::file_size(file);
  const FiniteMdp& mdp = world.mdp;
  if (arguments.json) {
    say_json(to_text(Json{{"file", arguments.out},
                          {"states", mdp.states()},
                          {"actions", mdp.actions()},
                          {"transitions", mdp.transitions()},
                          {"bytes", bytes},
                          {"lost", lost}}));
  } else {
    say("wrote {}: {} states, {} actions, {} transitions ({}), {} bytes\n", arguments.out,
        mdp.states(), mdp.actions(), mdp.transitions(), mdp.is_sparse() ? "sparse" : "dense",
        bytes);
  }
  return kDone;
}

void add_options(CLI::App& command, ConvertArguments& arguments) {
  command.add_option("in", arguments.in, "A model file, a built-in problem or a TOML file")
      ->required()
      ->type_name("IN");
  command.add_option("out", arguments.out, "The file to write: .rgum, .json, .csv or .tra")
      ->required()
      ->type_name("OUT");
  command
      .add_option("--discount", arguments.discount,
                  "In place of the file's; .csv and .tra files need it")
      ->type_name("G");
  command
      .add_option("--missing-actions", arguments.missing_actions,
                  "For states that list fewer actions than others")
      ->check(CLI::IsMember({"error", "repeat-first", "repeat-last"}));
  command.add_option("--dead-states", arguments.dead_states, "For states without any action")
      ->check(CLI::IsMember({"error", "absorb"}));
  command
      .add_option("--reward", arguments.reward,
                  "The signal that .csv and .tra files get (default: reward)")
      ->type_name("NAME");
  command.add_option("--seed", arguments.seed, "Of a problem: which of its models")->type_name("N");
  command.add_option("--set", arguments.sets, "Of a problem: change one key (may be repeated)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.add_flag("--force", arguments.force, "Replace what is there");
  command.add_flag("--json", arguments.json, "Print as JSON");
}

}  // namespace

void add_convert(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("convert", "Write a model, or the model of a problem, as another file");
  auto arguments = std::make_shared<ConvertArguments>();
  add_options(*command, *arguments);
  command->footer(
      "Examples:\n"
      "  rgu convert model.json model.rgum\n"
      "  rgu convert model.tra model.rgum --discount 0.95 --dead-states absorb\n"
      "  rgu convert exploration model.rgum --seed 0");
  command->callback([arguments, &chosen] { chosen = [arguments] { return convert(*arguments); }; });
}

}  // namespace rgu
