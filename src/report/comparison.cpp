#include "rgu/report/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "rgu/report/text.hpp"

namespace rgu::report {
namespace {

// "A" to "Z", then "27" and so on.
std::string letter(std::size_t run) {
  return run < 26 ? std::string(1, static_cast<char>('A' + run)) : fmt::format("{}", run + 1);
}

// Told apart by their methods, or by their problems where the methods are the same.
std::vector<std::string> names_of(const std::vector<RunRecord>& runs) {
  const bool same_method = std::all_of(runs.begin(), runs.end(), [&](const RunRecord& run) {
    return run.method == runs.front().method;
  });
  std::vector<std::string> names;
  for (const RunRecord& run : runs) {
    const std::string& text = same_method && runs.size() > 1 ? run.name : run.method;
    names.push_back(letter(names.size()) + " · " + shortened(text, 36));
  }
  return names;
}

void judge(SeedRow& row) {
  const WorstCaseRecord* best = nullptr;
  for (std::size_t r = 0; r < row.cells.size(); ++r) {
    const WorstCaseRecord* cell = row.cells[r];
    if (cell == nullptr || !std::isfinite(cell->value)) continue;
    if (best == nullptr || cell->value < best->value) {
      best = cell;
      row.lowest = static_cast<int>(r);
    }
  }
  double second = HUGE_VAL;
  for (const WorstCaseRecord* cell : row.cells) {
    if (best == nullptr || cell == nullptr || cell == best || !std::isfinite(cell->value)) continue;
    second = std::min(second, cell->value);
  }
  if (!std::isfinite(second)) {
    row.lowest = -1;
    row.verdict = "–";
    return;
  }
  const double margin = second - best->value;
  if (margin <= 1e-9 * std::max(std::abs(second), std::abs(best->value))) {
    row.lowest = -1;
    row.verdict = "tie";
    return;
  }
  const bool certain = best->kind == AnswerKind::kExact || best->gap < margin;
  row.verdict = fmt::format("{} by {}{}", letter(static_cast<std::size_t>(row.lowest)),
                            short_number(margin), certain ? "" : ", not certain");
}

std::vector<SeedRow> rows_of(const std::vector<RunRecord>& runs) {
  std::map<std::uint64_t, SeedRow> rows;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (const SeedRecord& seed : runs[r].seeds) {
      SeedRow& row = rows[seed.seed];
      row.seed = seed.seed;
      row.cells.resize(runs.size(), nullptr);
      if (seed.solved) row.cells[r] = &seed.worst_case;
    }
  }
  std::vector<SeedRow> list;
  for (auto& [seed, row] : rows) {
    judge(row);
    list.push_back(std::move(row));
  }
  return list;
}

bool is_flat(const CurveFigure& figure) {
  const double first = figure.curves.front().mean.front();
  for (const Curve& curve : figure.curves) {
    for (const double y : curve.mean) {
      if (y != first) return false;
    }
  }
  return true;
}

std::vector<CurveFigure> figures_of(const std::vector<RunRecord>& runs,
                                    const std::vector<std::string>& names) {
  std::vector<CurveFigure> figures;
  const std::vector<std::string> x_names = x_names_of(runs);
  for (const MetricField& field : kMetricFields) {
    std::string title = fmt::format("{}: {}", field.symbol, field.help);
    CurveFigure figure{std::string(field.name), std::move(title), usual_scale(field), x_names, {}};
    for (std::size_t r = 0; r < runs.size(); ++r) {
      if (!was_measured(runs[r], field)) continue;
      Curve curve = metric_curve(runs[r], field);
      const std::string kind = curve.name.substr(field.symbol.size());
      curve.name = names[r] + kind;
      curve.help.clear();
      curve.colour = static_cast<int>(r);
      keep_x(curve, x_names);
      figure.curves.push_back(thinned(std::move(curve)));
    }
    settle_scale(figure);
    if (!figure.curves.empty() && !is_flat(figure)) figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace

Comparison comparison_of(const std::vector<RunRecord>& runs) {
  Comparison comparison{names_of(runs), rows_of(runs), {}, {}};
  comparison.wins.resize(runs.size(), 0);
  for (const SeedRow& row : comparison.rows) {
    if (row.lowest >= 0) ++comparison.wins[static_cast<std::size_t>(row.lowest)];
  }
  comparison.figures = figures_of(runs, comparison.names);
  return comparison;
}

}  // namespace rgu::report
