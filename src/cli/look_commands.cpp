// rgu list, show, report, keys: what there is to see without solving.
#include <fmt/format.h>

#include <memory>

#include "rgu/base/check.hpp"
#include "rgu/cli/command.hpp"
#include "rgu/cli/key_list.hpp"
#include "rgu/cli/run_summary.hpp"
#include "rgu/cli/table.hpp"
#include "rgu/cli/terminal.hpp"
#include "rgu/experiment/built_in.hpp"
#include "rgu/record/run_files.hpp"

namespace rgu {
namespace {

namespace fs = std::filesystem;

struct ListArguments {
  bool json = false;
  bool names = false;
};

int list(const ListArguments& arguments) {
  Json json = Json::array();
  std::vector<TableRow> rows = {{"name", "problem"}};
  for (const BuiltIn& problem : built_ins()) {
    if (arguments.names) say("{}\n", problem.name);
    json.push_back({{"name", problem.name}, {"description", problem.description}});
    rows.push_back({std::string(problem.name), std::string(problem.description)});
  }
  if (arguments.names) return kDone;
  if (arguments.json) {
    say_json(to_text(json));
  } else {
    say("{}", Lines{table(rows)});
  }
  return kDone;
}

struct ShowArguments {
  std::string what;
  bool json = false;
};

int show(const ShowArguments& arguments) {
  if (!fs::is_directory(arguments.what)) {
    const ConfigSource problem = find_problem(arguments.what);
    if (arguments.json) {
      say_json(to_text(Json{{"name", problem.name}, {"text", problem.text}}));
    } else {
      say_contents(problem.text);
    }
    return kDone;
  }
  const RunFolder folder = RunFolder::open(arguments.what);
  const RunRecord run = read_run(folder);
  if (arguments.json) {
    say_json(to_text(summary_json(run)));
    return kDone;
  }
  say("{}", Lines{summary(run)});
  for (const std::string& note : run.notes) say("note: {}\n", note);
  if (const fs::path page = folder.path() / "report.html"; fs::exists(page)) {
    say("report: {}\n", fs::proximate(page).string());
  }
  return kDone;
}

struct ReportArguments {
  std::string run;
};

int write_report(const ReportArguments& arguments) {
  const RunFolder folder = RunFolder::open(arguments.run);
  say("report: {}\n", fs::proximate(write_report(folder, read_run(folder))).string());
  return kDone;
}

}  // namespace

void add_list(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("list", "The built-in problems");
  auto arguments = std::make_shared<ListArguments>();
  command->add_flag("--json", arguments->json, "Print as JSON");
  command->add_flag("--names", arguments->names, "Only the names, one a line");
  command->footer("Example:\n  rgu list");
  command->callback([arguments, &chosen] { chosen = [arguments] { return list(*arguments); }; });
}

void add_show(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("show", "The results of a run, or the text of a built-in problem");
  auto arguments = std::make_shared<ShowArguments>();
  command->add_option("what", arguments->what, "Folder of a run, or a built-in problem")
      ->required()
      ->type_name("RUN|NAME");
  command->add_flag("--json", arguments->json, "Print the results as JSON");
  command->footer(
      "Examples:\n"
      "  rgu show runs/exploration\n"
      "  rgu show exploration > my-problem.toml");
  command->callback([arguments, &chosen] { chosen = [arguments] { return show(*arguments); }; });
}

void add_report(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "report", "Write report.html and figures/*.svg of a run anew, from its files alone");
  auto arguments = std::make_shared<ReportArguments>();
  command->add_option("run", arguments->run, "Folder of the run")->required()->type_name("RUN");
  command->footer("Example:\n  rgu report runs/exploration");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return write_report(*arguments); }; });
}

void add_keys(CLI::App& app, Command& chosen) {
  add_key_list(app, chosen,
               {.what = "a problem file", .example = "rgu keys solver", .keys = config_keys});
}

}  // namespace rgu
