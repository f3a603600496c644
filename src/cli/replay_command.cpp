// rgu replay: a run made again and compared with its folder, bit by bit.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "rgu/cli/command.hpp"
#include "rgu/cli/interrupt.hpp"
#include "rgu/cli/terminal.hpp"
#include "rgu/experiment/replay.hpp"
#include "rgu/record/run_files.hpp"

namespace rgu {
namespace {

struct ReplayArguments {
  std::string run;
  std::vector<std::uint64_t> seeds;
  ThreadArgument threads;
  bool json = false;
};

Json to_json(const ReplayDifference& difference) {
  Json json = {{"file", difference.file}};
  if (difference.line > 0) json["line"] = difference.line;
  if (difference.iteration > 0) json["iteration"] = difference.iteration;
  if (!difference.remark.empty()) {
    json["remark"] = difference.remark;
    return json;
  }
  json["field"] = difference.value.field;
  json["stored"] = difference.value.stored;
  json["replayed"] = difference.value.replayed;
  if (!std::isnan(difference.value.distance)) {
    json["distance"] = rgu::to_json(difference.value.distance);
  }
  return json;
}

Json to_json(const SeedReplay& seed) {
  Json differences = Json::array();
  for (const ReplayDifference& one : seed.differences) differences.push_back(to_json(one));
  return {{"seed", seed.seed},
          {"identical", seed.identical()},
          {"finished", seed.finished},
          {"interrupted", seed.interrupted},
          {"iterations", seed.iterations},
          {"lines", seed.lines},
          {"differences", std::move(differences)},
          {"left_out", seed.left_out}};
}

Json to_json(const std::vector<BuildDifference>& differences) {
  Json json = Json::array();
  for (const BuildDifference& one : differences) {
    json.push_back({{"name", one.name}, {"recorded", one.recorded}, {"now", one.now}});
  }
  return json;
}

std::string or_none(const std::string& text) { return text.empty() ? "not there" : text; }

std::string text_of(const ReplayDifference& difference) {
  std::string text = difference.file;
  if (difference.line > 0) text += fmt::format(" line {}", difference.line);
  if (difference.iteration > 0) text += fmt::format(", iteration {}", difference.iteration);
  if (!difference.remark.empty()) return text + ": " + difference.remark;
  const JsonDifference& value = difference.value;
  text += fmt::format(", {}: {} in the run, {} replayed", value.field, or_none(value.stored),
                      or_none(value.replayed));
  if (!std::isnan(value.distance)) text += fmt::format(", {:.3g} apart", value.distance);
  return text;
}

std::string verdict(const SeedReplay& seed) {
  if (seed.interrupted) return "not replayed to its end: interrupted";
  if (!seed.identical()) return "differs";
  return seed.finished ? "identical" : "identical as far as it got; not finished";
}

void print(const SeedReplay& seed) {
  say("seed {}: {} ({} iterations, {} lines of metrics)\n", seed.seed, verdict(seed),
      seed.iterations, seed.lines);
  for (const ReplayDifference& one : seed.differences) say("  {}\n", text_of(one));
  for (const std::string& file : seed.left_out) {
    say("  {} is not the run's own and was not compared\n", file);
  }
}

void print_build(const BuildFacts& recorded, const std::vector<BuildDifference>& differences) {
  if (recorded.empty()) {
    say("build: the run does not say what it was made with\n");
  } else if (differences.empty()) {
    say("build: the same, on a CPU of the same kind\n");
  }
  for (const BuildDifference& one : differences) {
    say("build: {} was {}, is {}\n", one.name, or_none(one.recorded), or_none(one.now));
  }
}

int exit_code(const std::vector<SeedReplay>& seeds) {
  const auto any = [&](auto is) { return std::any_of(seeds.begin(), seeds.end(), is); };
  if (any([](const SeedReplay& seed) { return !seed.differences.empty(); })) return kNotSolved;
  return any([](const SeedReplay& seed) { return seed.interrupted; }) ? kInterrupted : kDone;
}

int run_replay(const ReplayArguments& arguments) {
  const RunFolder folder = RunFolder::open(arguments.run);
  const BuildFacts recorded = read_build(folder);
  std::vector<BuildDifference> build;
  if (!recorded.empty()) build = build_differences(recorded, build_facts());
  const std::vector<SeedReplay> seeds = replay(folder, {.seeds = arguments.seeds,
                                                        .threads = arguments.threads.count(),
                                                        .interrupt = &interrupt_flag()});
  const int code = exit_code(seeds);
  if (arguments.json) {
    Json list = Json::array();
    for (const SeedReplay& seed : seeds) list.push_back(to_json(seed));
    say_json(to_text(Json{{"folder", folder.path().string()},
                          {"identical", code == kDone},
                          {"build_recorded", !recorded.empty()},
                          {"build_differences", to_json(build)},
                          {"seeds", std::move(list)}}));
    return code;
  }
  for (const SeedReplay& seed : seeds) print(seed);
  print_build(recorded, build);
  return code;
}

}  // namespace

void add_replay(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("replay", "Make a run again and compare it with its folder, bit by bit");
  auto arguments = std::make_shared<ReplayArguments>();
  command->add_option("run", arguments->run, "Folder of the run")->required()->type_name("RUN");
  command->add_option("--seed", arguments->seeds, "Only this seed (may be repeated)")
      ->type_name("N")
      ->allow_extra_args(false);
  arguments->threads.add_to(*command);
  command->add_flag("--json", arguments->json, "Print as JSON");
  command->footer(
      "Writes nothing. Exit code 0: identical; 3: something differs.\n\n"
      "Examples:\n"
      "  rgu replay runs/exploration\n"
      "  rgu replay runs/exploration --seed 3 --threads 1");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return run_replay(*arguments); }; });
}

}  // namespace rgu
