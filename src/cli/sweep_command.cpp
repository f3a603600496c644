// rgu sweep: the price and the gain of robustness against the radius.
#include <fmt/format.h>

#include <memory>
#include <mutex>

#include "rgu/base/check.hpp"
#include "rgu/cli/command.hpp"
#include "rgu/cli/interrupt.hpp"
#include "rgu/cli/progress_line.hpp"
#include "rgu/cli/table.hpp"
#include "rgu/cli/terminal.hpp"
#include "rgu/experiment/sweep.hpp"
#include "rgu/record/json_values.hpp"
#include "rgu/record/run_folder.hpp"
#include "rgu/record/run_record.hpp"
#include "rgu/report/sweep.hpp"

namespace rgu {
namespace {

namespace fs = std::filesystem;

struct SweepArguments {
  ProblemArguments problem;
  ThreadArgument threads;
  std::string radius;
  std::string html;
  bool json = false;
  bool quiet = false;
};

// The means over the seeds, a row for each radius.
std::vector<SweepRow> mean_rows(const std::vector<SweepPoint>& points) {
  std::vector<SweepRow> rows;
  std::vector<double> counts;
  for (const SweepPoint& point : points) {
    if (rows.empty() || rows.back().radius != point.radius) {
      rows.push_back({.radius = point.radius});
      counts.push_back(0);
    }
    SweepRow& row = rows.back();
    row.robust_nominal += point.robust_nominal;
    row.robust_worst += point.robust_worst;
    row.nominal_nominal += point.nominal_nominal;
    row.nominal_worst += point.nominal_worst;
    row.kind = std::max(row.kind, point.kind);
    ++counts.back();
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (double SweepRow::*value : {&SweepRow::robust_nominal, &SweepRow::robust_worst,
                                    &SweepRow::nominal_nominal, &SweepRow::nominal_worst}) {
      rows[i].*value = shown_value(rows[i].*value / counts[i]);
    }
  }
  return rows;
}

std::string sweep_table(const std::vector<SweepRow>& rows) {
  std::vector<TableRow> lines = {
      {"radius", "robust f", "robust Γ", "nominal f", "nominal Γ", "price", "gain", "kind"}};
  for (const SweepRow& row : rows) {
    lines.push_back(
        {fmt::format("{}", row.radius), short_number(row.robust_nominal),
         short_number(row.robust_worst), short_number(row.nominal_nominal),
         short_number(row.nominal_worst), short_number(row.robust_nominal - row.nominal_nominal),
         short_number(row.nominal_worst - row.robust_worst), std::string(name_of(row.kind))});
  }
  return table(lines);
}

Json sweep_json(const std::vector<SweepPoint>& points) {
  Json json = Json::array();
  for (const SweepPoint& point : points) {
    json.push_back({{"radius", point.radius},
                    {"seed", point.seed},
                    {"robust_nominal", rgu::to_json(point.robust_nominal)},
                    {"robust_worst", rgu::to_json(point.robust_worst)},
                    {"nominal_nominal", rgu::to_json(point.nominal_nominal)},
                    {"nominal_worst", rgu::to_json(point.nominal_worst)},
                    {"kind", name_of(point.kind)}});
  }
  return json;
}

SweepOptions options_of(const SweepArguments& arguments, std::mutex& telling) {
  SweepOptions options{.threads = arguments.threads.count(), .interrupt = &interrupt_flag()};
  if (arguments.quiet) return options;
  options.progress = [&telling](std::size_t done, std::size_t total) {
    const std::scoped_lock lock(telling);
    ProgressLine().draw({.share = static_cast<double>(done) / static_cast<double>(total),
                         .text = fmt::format("{}/{} policies trained", done, total),
                         .final = done == total});
  };
  return options;
}

int run_sweep(const SweepArguments& arguments) {
  const ProblemConfig config = arguments.problem.config();
  const std::vector<double> radii = parse_radii(arguments.radius);
  check(fs::path(arguments.html).extension() != ".svg",
        "--html {}: a page; its figure is written beside it, with the ending .svg", arguments.html);
  std::mutex telling;
  const std::vector<SweepPoint> points = sweep(config, radii, options_of(arguments, telling));
  const std::vector<SweepRow> rows = mean_rows(points);
  const bool interrupted = points.size() < radii.size() * config.seeds.size();
  if (!arguments.html.empty() && !rows.empty()) {
    const fs::path page = arguments.html;
    write_file(page, html_sweep(config.name, rows));
    write_file(fs::path(page).replace_extension(".svg"), sweep_figure(config.name, rows).svg);
  }
  if (arguments.json) {
    say_json(to_text(sweep_json(points)));
  } else {
    say("{}: means over {} seeds; f is a cost, Γ its worst case at that radius\n"
        "price: what the robust policy costs more at the nominal utility; gain: what it "
        "costs less in the worst case\n\n{}",
        config.name, config.seeds.size(), Lines{sweep_table(rows)});
    if (!arguments.html.empty()) say("\npage: {}\n", arguments.html);
    if (interrupted) say("interrupted: the table has what was finished\n");
  }
  return interrupted ? kInterrupted : kDone;
}

}  // namespace

void add_sweep(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "sweep", "Train robust and nominal policies at several radii and tabulate both");
  auto arguments = std::make_shared<SweepArguments>();
  arguments->problem.add_to(*command);
  command->add_option("--radius", arguments->radius, "The radii: first:last:step, or one number")
      ->required()
      ->type_name("A:B:STEP");
  command
      ->add_option("--html", arguments->html, "Also write a page, and its figure as SVG beside it")
      ->type_name("FILE");
  arguments->threads.add_to(*command);
  command->add_flag("--json", arguments->json, "Print as JSON, every seed by itself");
  command->add_flag("--quiet,-q", arguments->quiet, "No progress");
  command->footer("Example:\n  rgu sweep exploration --radius 0:1:0.1 --html sweep.html");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return run_sweep(*arguments); }; });
}

}  // namespace rgu
