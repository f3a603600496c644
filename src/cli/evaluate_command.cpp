// rgu evaluate, rgu compare: the policies of runs, judged anew from their files.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "rgu/base/check.hpp"
#include "rgu/cli/command.hpp"
#include "rgu/cli/run_summary.hpp"
#include "rgu/cli/table.hpp"
#include "rgu/cli/terminal.hpp"
#include "rgu/experiment/stored_run.hpp"
#include "rgu/record/run_files.hpp"
#include "rgu/report/html_comparison.hpp"
#include "rgu/report/summary.hpp"

namespace rgu {
namespace {

namespace fs = std::filesystem;

struct EvaluateArguments {
  std::string run;
  Index members = 100;
  std::uint64_t member_seed = 0;
  bool json = false;
};

double largest_of(const std::vector<double>& values) {
  return values.empty() ? std::nan("") : *std::max_element(values.begin(), values.end());
}

// The entries in which the worst xi differs most from the nominal one.
std::string largest_changes(const Vector& worst, const Vector& nominal) {
  constexpr std::size_t kShown = 5;
  std::vector<Index> order(static_cast<std::size_t>(worst.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const Vector change = worst - nominal;
  const std::size_t shown = std::min(kShown, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [&](Index a, Index b) { return std::abs(change(a)) > std::abs(change(b)); });
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    if (change(order[i]) == 0) break;
    text += fmt::format("{}xi[{}] {} -> {}", i > 0 ? ", " : "", order[i],
                        short_number(nominal(order[i])), short_number(worst(order[i])));
  }
  return text.empty() ? "none" : text;
}

Json to_json(const PolicyReport& report) {
  return {{"seed", report.seed},
          {"nominal", rgu::to_json(report.nominal)},
          {"worst_case", rgu::to_json(report.worst_case.value)},
          {"kind", name_of(report.worst_case.kind)},
          {"gap", rgu::to_json(report.worst_case.gap)},
          {"method", report.worst_case.method},
          {"worst_distance", rgu::to_json(report.worst_distance)},
          {"flow_residual", rgu::to_json(report.flow_residual)},
          {"worst_nature", rgu::to_json(report.worst_case.nature)},
          {"at_members", report.at_members}};
}

int evaluate(const EvaluateArguments& arguments) {
  const RunFolder folder = RunFolder::open(arguments.run);
  const ProblemConfig config = read_run_config(folder);
  Json json = Json::array();
  std::vector<TableRow> rows = {{"seed", "nominal f", "worst case Γ", "members mean", "members max",
                                 "|ξ* − ξ₀|", "flow residual"}};
  std::string worst;
  for (const std::uint64_t seed : seeds_with_policy(folder, config)) {
    const Instance instance = make_instance(config, seed);
    const PolicyReport report =
        evaluate_policy(instance, config.name, folder, seed,
                        {.members = arguments.members, .member_seed = arguments.member_seed});
    json.push_back(to_json(report));
    rows.push_back({fmt::format("{}", seed), short_number(report.nominal),
                    text_of(record_of(report.worst_case)),
                    short_number(report::spread_of(report.at_members).mean),
                    short_number(largest_of(report.at_members)),
                    short_number(report.worst_distance),
                    fmt::format("{:.1e}", report.flow_residual)});
    worst += terminal_text("seed {}: worst ξ by {}; largest changes: {}\n", seed,
                           report.worst_case.method,
                           largest_changes(report.worst_case.nature, instance.nominal));
  }
  if (arguments.json) {
    say_json(to_text(json));
  } else {
    say("{}: f is a cost, Γ its largest value over {}\n\n{}\n{}", config.name,
        read_run(folder).ambiguity, Lines{table(rows)}, Lines{worst});
    say("members: f at {} random members of the ambiguity set\n", arguments.members);
  }
  return kDone;
}

struct CompareArguments {
  std::vector<std::string> runs;
  std::string html;
  bool json = false;
};

struct ComparedRun {
  std::string name;
  std::string method;
  std::vector<PolicyReport> reports;  // for the seeds that all runs have
};

std::vector<std::uint64_t> common_seeds(const std::vector<RunFolder>& folders) {
  std::vector<std::uint64_t> common;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    std::vector<std::uint64_t> seeds = seeds_with_policy(folders[i], read_run_config(folders[i]));
    std::sort(seeds.begin(), seeds.end());
    std::vector<std::uint64_t> both;
    std::set_intersection(seeds.begin(), seeds.end(), common.begin(), common.end(),
                          std::back_inserter(both));
    common = i == 0 ? seeds : both;
  }
  check(!common.empty(), "the runs have no seed in common");
  return common;
}

std::string comparison_table(const std::vector<ComparedRun>& runs,
                             const std::vector<std::uint64_t>& seeds) {
  TableRow head = {"run"};
  for (const std::uint64_t seed : seeds) head.push_back(fmt::format("seed {}", seed));
  head.insert(head.end(), {"mean ± sd", "wins", "kind"});
  std::vector<TableRow> rows = {head};
  for (const ComparedRun& run : runs) {
    TableRow row = {run.name};
    std::vector<double> values;
    AnswerKind kind = AnswerKind::kExact;
    int wins = 0;
    for (std::size_t s = 0; s < seeds.size(); ++s) {
      const double value = run.reports[s].worst_case.value;
      const bool best = std::all_of(runs.begin(), runs.end(), [&](const ComparedRun& other) {
        return value <= other.reports[s].worst_case.value;
      });
      wins += best ? 1 : 0;
      kind = std::max(kind, run.reports[s].worst_case.kind);
      values.push_back(value);
      row.push_back(short_number(shown_value(value)) + (best ? "*" : " "));
    }
    row.push_back(mean_and_deviation(values));
    row.push_back(fmt::format("{}", wins));
    row.push_back(std::string(name_of(kind)));
    rows.push_back(row);
  }
  return table(rows);
}

// The record of a run as the judge sees it: the seeds compared, with the worst cases found now.
RunRecord judged_record(RunRecord record, const std::vector<PolicyReport>& reports) {
  std::vector<SeedRecord> seeds;
  for (const PolicyReport& report : reports) {
    for (SeedRecord& seed : record.seeds) {
      if (seed.seed != report.seed) continue;
      seed.nominal = report.nominal;
      seed.worst_case = record_of(report.worst_case);
      seeds.push_back(std::move(seed));
      break;
    }
  }
  record.seeds = std::move(seeds);
  return record;
}

int compare(const CompareArguments& arguments) {
  std::vector<RunFolder> folders;
  for (const std::string& run : arguments.runs) folders.push_back(RunFolder::open(run));
  const std::vector<std::uint64_t> seeds = common_seeds(folders);
  const ProblemConfig judge = read_run_config(folders.front());
  std::vector<ComparedRun> compared;
  std::vector<RunRecord> records;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    records.push_back(read_run(folders[i]));
    ComparedRun run{.name = arguments.runs[i], .method = records.back().method, .reports = {}};
    for (const std::uint64_t seed : seeds) {
      run.reports.push_back(evaluate_policy(judge, folders[i], seed, {.members = 0}));
    }
    records.back() = judged_record(std::move(records.back()), run.reports);
    records.back().method =
        fmt::format("{}: {}", fs::path(folders[i].path()).filename().string(), run.method);
    compared.push_back(std::move(run));
  }
  if (!arguments.html.empty()) write_file(arguments.html, html_comparison(records));
  if (arguments.json) {
    Json json = Json::array();
    for (const ComparedRun& run : compared) {
      Json reports = Json::array();
      for (const PolicyReport& report : run.reports) reports.push_back(to_json(report));
      json.push_back({{"run", run.name}, {"method", run.method}, {"seeds", std::move(reports)}});
    }
    say_json(to_text(json));
    return kDone;
  }
  say("worst case Γ of the final policies over the ambiguity set of {} (a cost; * best)\n\n{}\n",
      arguments.runs.front(), Lines{comparison_table(compared, seeds)});
  for (const ComparedRun& run : compared) say("{}: {}\n", run.name, run.method);
  if (!arguments.html.empty()) say("page: {}\n", arguments.html);
  return kDone;
}

}  // namespace

void add_evaluate(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "evaluate", "Nominal value, worst case, worst utility, and values at random members");
  auto arguments = std::make_shared<EvaluateArguments>();
  command->add_option("run", arguments->run, "Folder of the run")->required()->type_name("RUN");
  command->add_option("--members", arguments->members, "How many random members (default 100)")
      ->type_name("N")
      ->check(CLI::Range(0, 10000000));
  command->add_option("--member-seed", arguments->member_seed, "Seed of the random members")
      ->type_name("N");
  command->add_flag("--json", arguments->json, "Print as JSON, with every worst xi in full");
  command->footer("Example:\n  rgu evaluate runs/exploration --members 1000");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return evaluate(*arguments); }; });
}

void add_compare(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "compare", "The worst cases of several runs, all over the ambiguity set of the first");
  auto arguments = std::make_shared<CompareArguments>();
  command->add_option("runs", arguments->runs, "Folders of the runs")->required()->type_name("RUN");
  command->add_option("--html", arguments->html, "Also write a page with the curves of all runs")
      ->type_name("FILE");
  command->add_flag("--json", arguments->json, "Print as JSON");
  command->footer("Example:\n  rgu compare runs/exploration runs/prox --html comparison.html");
  command->callback([arguments, &chosen] { chosen = [arguments] { return compare(*arguments); }; });
}

}  // namespace rgu
