#include "rgu/cli/run_summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "rgu/base/text_file.hpp"
#include "rgu/cli/table.hpp"
#include "rgu/cli/terminal.hpp"
#include "rgu/report/figures.hpp"
#include "rgu/report/html_report.hpp"

namespace rgu {
namespace {

bool has_result(const SeedRecord& seed) { return seed.policy.size() > 0; }

struct Columns {
  bool baseline = false;
  bool published = false;
  bool violation = false;
  bool residual = false;
  bool certificate = false;
};

TableRow row_of(const SeedRecord& seed, const Columns& columns) {
  const Metrics last = seed.metrics.empty() ? Metrics{} : seed.metrics.back();
  TableRow row = {fmt::format("{}", seed.seed), fmt::format("{}", last.iteration),
                  has_result(seed) ? short_number(shown_value(seed.nominal)) : "-",
                  has_result(seed) ? text_of(seed.worst_case) : "-"};
  if (columns.certificate) {
    row.push_back(short_number(shown_value(seed.certificate.lower_bound)));
    row.push_back(short_number(std::max(0.0, seed.optimality_gap())));
  }
  if (columns.published) row.push_back(short_number(shown_value(seed.published_worst_case)));
  if (columns.baseline) row.push_back(short_number(shown_value(seed.baseline_worst_case)));
  if (columns.residual) row.push_back(short_number(last.residual));
  if (columns.violation) row.push_back(short_number(last.violation));
  row.push_back(seed.seconds.empty() ? "-" : fmt::format("{:.1f} s", seed.seconds.back()));
  row.push_back(seed.status);
  return row;
}

Columns columns_of(const RunRecord& run) {
  Columns columns;
  for (const SeedRecord& seed : run.seeds) {
    if (!std::isnan(seed.baseline_worst_case)) columns.baseline = true;
    if (!std::isnan(seed.published_worst_case)) columns.published = true;
    if (!seed.metrics.empty() && !std::isnan(seed.metrics.back().residual)) columns.residual = true;
    if (seed.certificate.exists()) columns.certificate = true;
    if (!seed.metrics.empty() && !std::isnan(seed.metrics.back().violation)) {
      columns.violation = true;
    }
  }
  return columns;
}

std::string means(const RunRecord& run) {
  std::vector<double> nominal, worst;
  for (const SeedRecord& seed : run.seeds) {
    if (!has_result(seed)) continue;
    nominal.push_back(shown_value(seed.nominal));
    worst.push_back(shown_value(seed.worst_case.value));
  }
  if (worst.size() < 2) return {};
  return fmt::format("mean ± sd over {} seeds: nominal {}, worst case {}\n", worst.size(),
                     mean_and_deviation(nominal), mean_and_deviation(worst));
}

// The columns that hold worst cases of other policies.
std::string legend(const Columns& columns) {
  std::string text;
  if (columns.published) text += "published method: Γ of prox-extragradient as published";
  if (columns.published && columns.baseline) text += "; ";
  if (columns.baseline) text += "nominal policy: Γ of the policy trained ignoring the ambiguity";
  return text + '\n';
}

std::string multiplier_text(const SeedRecord& seed) {
  const std::vector<double> list(seed.multipliers.begin(), seed.multipliers.end());
  return fmt::format("seed {}: multipliers {:.5g}\n", seed.seed, fmt::join(list, ", "));
}

}  // namespace

std::string text_of(const WorstCaseRecord& worst_case) {
  std::string kind(name_of(worst_case.kind));
  if (worst_case.kind == AnswerKind::kCertified) {
    kind += fmt::format(" within {:.1e}", worst_case.gap);
  }
  return fmt::format("{} ({})", short_number(shown_value(worst_case.value)), kind);
}

std::string summary(const RunRecord& run) {
  std::string text = terminal_text("{}: {}\nmethod: {}\nutility: {}\nambiguity: {}\n", run.name,
                                   run.description, run.method, run.utility, run.ambiguity);
  for (const std::string& warning : run.warnings) text += terminal_text("warning: {}\n", warning);
  const Columns columns = columns_of(run);
  TableRow head = {"seed", "iterations", "nominal f", "worst case Γ"};
  if (columns.certificate) head.insert(head.end(), {"lower bound", "gap"});
  if (columns.published) head.push_back("published method");
  if (columns.baseline) head.push_back("nominal policy");
  if (columns.residual) head.push_back("residual");
  if (columns.violation) head.push_back("violation");
  head.push_back("time");
  head.push_back("status");
  std::vector<TableRow> rows = {head};
  for (const SeedRecord& seed : run.seeds) rows.push_back(row_of(seed, columns));
  text += '\n' + table(rows) + means(run);
  if (columns.published || columns.baseline) text += legend(columns);
  for (const SeedRecord& seed : run.seeds) {
    if (seed.multipliers.size() > 0) text += multiplier_text(seed);
    for (const std::string& note : seed.notes)
      text += terminal_text("seed {}: {}\n", seed.seed, note);
  }
  return text;
}

Json summary_json(const RunRecord& run) {
  Json seeds = Json::array();
  for (const SeedRecord& seed : run.seeds) {
    Json entry = {{"seed", seed.seed},
                  {"status", seed.status},
                  {"solved", seed.solved},
                  {"iterations", seed.metrics.empty() ? 0 : seed.metrics.back().iteration},
                  {"notes", seed.notes}};
    if (has_result(seed)) {
      entry["nominal"] = to_json(seed.nominal);
      entry["worst_case"] = to_json(seed.worst_case.value);
      entry["kind"] = name_of(seed.worst_case.kind);
      entry["gap"] = to_json(seed.worst_case.gap);
      if (seed.certificate.exists()) {
        entry["lower_bound"] = to_json(seed.certificate.lower_bound);
        entry["optimality_gap"] = to_json(seed.optimality_gap());
      }
      if (!std::isnan(seed.baseline_worst_case)) {
        entry["baseline_nominal"] = to_json(seed.baseline_nominal);
        entry["baseline_worst_case"] = to_json(seed.baseline_worst_case);
      }
      if (!std::isnan(seed.published_worst_case)) {
        entry["published_worst_case"] = to_json(seed.published_worst_case);
      }
      if (seed.multipliers.size() > 0) entry["multipliers"] = to_json(seed.multipliers);
    }
    if (!seed.metrics.empty()) {
      entry["residual"] = to_json(seed.metrics.back().residual);
      entry["samples"] = seed.metrics.back().samples;
      const double violation = seed.metrics.back().violation;
      if (!std::isnan(violation)) entry["violation"] = to_json(violation);
    }
    seeds.push_back(std::move(entry));
  }
  return {{"name", run.name},           {"method", run.method},     {"utility", run.utility},
          {"ambiguity", run.ambiguity}, {"warnings", run.warnings}, {"seeds", std::move(seeds)}};
}

std::filesystem::path write_report(const RunFolder& folder, const RunRecord& run) {
  const std::filesystem::path figure_folder = folder.path() / "figures";
  std::error_code error;
  std::filesystem::create_directories(figure_folder, error);
  if (error) {
    throw FileError(
        fmt::format("cannot make the folder {}: {}", figure_folder.string(), error.message()));
  }
  for (const Figure& figure : figures(run)) {
    write_file(figure_folder / (figure.name + ".svg"), figure.svg);
  }
  std::filesystem::path page = folder.path() / "report.html";
  write_file(page, html_report(run));
  return page;
}

}  // namespace rgu
