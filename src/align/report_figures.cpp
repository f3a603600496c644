#include "rgu/align/report_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "rgu/align/report_numbers.hpp"
#include "rgu/report/text.hpp"

namespace rgu::align {
namespace {

using report::Curve;
using report::CurveFigure;

using Figures = std::vector<CurveFigure> FigureSet::*;

// Metrics that are drawn together; one that ends in a slash stands for all that begin so.
struct Group {
  std::string_view id;
  std::string_view title;
  Figures part;
  std::vector<std::string_view> metrics;
};

const std::vector<Group>& groups() {
  static const std::vector<Group> kGroups = {
      {"multiplier", "Multipliers", &FigureSet::nature, {"multiplier/"}},
      {"weight", "Weights of the rewards", &FigureSet::nature, {"weight/"}},
      {"envelope", "Objective and worst case", &FigureSet::nature, {"objective", "envelope"}},
      {"rewards", "Every reward", &FigureSet::nature, {"reward/"}},
      {"violation", "Largest excess of a cost", &FigureSet::nature, {"violation"}},
      {"kl", "KL divergence from the reference", &FigureSet::policy, {"kl"}},
      {"kl_coefficient", "Weight of the KL penalty", &FigureSet::policy, {"kl_coefficient"}},
      {"entropy", "Entropy", &FigureSet::policy, {"entropy"}},
      {"length", "Length of answers", &FigureSet::policy, {"length_mean", "length_max"}},
      {"finished", "Answers that ended by themselves", &FigureSet::policy, {"finished"}},
      {"both_objectives",
       "Objective: evaluation and training",
       &FigureSet::others,
       {"objective", "train_objective"}},
      {"both_rewards",
       "Reward: evaluation and training",
       &FigureSet::others,
       {"reward", "train_reward"}},
      {"both_costs", "Cost: evaluation and training", &FigureSet::others, {"cost/", "train_cost/"}},
      {"losses", "Losses", &FigureSet::others, {"policy_loss", "value_loss", "total_loss"}},
      {"clipped",
       "Share of tokens that were clipped",
       &FigureSet::others,
       {"clip_fraction", "value_clip_fraction"}},
      {"moved",
       "How far an update moved the policy",
       &FigureSet::others,
       {"approximate_kl", "policy_kl"}}};
  return kGroups;
}

bool belongs(std::string_view metric, std::string_view pattern) {
  return pattern.ends_with('/') ? metric.starts_with(pattern) : metric == pattern;
}

// A level, drawn from the first to the last x of the curves that are there.
Curve level(std::string name, double value, const CurveFigure& figure) {
  Curve curve;
  curve.name = std::move(name);
  curve.colour = 6;
  for (std::size_t axis = 0; axis < figure.x_names.size(); ++axis) {
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (const Curve& other : figure.curves) {
      for (const double x : other.x[axis]) {
        if (!std::isfinite(x)) continue;
        least = std::min(least, x);
        most = std::max(most, x);
      }
    }
    curve.x.push_back({least, most});
  }
  curve.mean = {value, value};
  curve.deviation = {std::nan(""), std::nan("")};
  curve.measured = 2;
  return curve;
}

// One line where all thresholds are equal, otherwise one for each.
void add_thresholds(CurveFigure& figure, const std::vector<ConstraintRecord>& constraints) {
  if (figure.curves.empty()) return;
  std::set<double> levels;
  for (const ConstraintRecord& constraint : constraints) levels.insert(constraint.threshold);
  std::vector<Curve> lines;
  for (const ConstraintRecord& constraint : constraints) {
    if (levels.size() == 1 && !lines.empty()) break;
    const std::string owner = levels.size() == 1 ? "" : " " + constraint.name;
    lines.push_back(level("threshold d" + owner, constraint.threshold, figure));
  }
  for (Curve& line : lines) figure.curves.push_back(std::move(line));
}

void add_curve(CurveFigure& figure, const RunRecord& run, const Quantity& quantity) {
  Curve curve = step_curve(run, quantity, figure.x_names);
  curve.colour = static_cast<int>(figure.curves.size());
  figure.curves.push_back(std::move(curve));
}

CurveFigure empty_figure(std::string id, std::string title,
                         const std::vector<std::string>& x_names) {
  return {std::move(id), std::move(title), report::Scale::kLinear, x_names, {}};
}

std::vector<CurveFigure> paper_figures(const RunRecord& run,
                                       const std::vector<std::string>& x_names) {
  CurveFigure objective = empty_figure("paper_objective", "Objective f", x_names);
  CurveFigure reward = empty_figure("paper_reward", "c⁽⁰⁾ = −R", x_names);
  CurveFigure cost = empty_figure("paper_cost", "c⁽¹⁾ = C", x_names);
  if (was_measured(run, "objective")) add_curve(objective, run, {"objective"});
  if (was_measured(run, "reward")) add_curve(reward, run, {"reward", -1});
  for (const std::string& metric : measured_metrics({run})) {
    if (belongs(metric, "cost/")) add_curve(cost, run, {metric});
  }
  add_thresholds(cost, run.constraints);
  std::vector<CurveFigure> figures;
  for (CurveFigure* figure : {&objective, &reward, &cost}) {
    if (!figure->curves.empty()) figures.push_back(std::move(*figure));
  }
  return figures;
}

bool is_constant(const RunRecord& run, const std::vector<std::string>& metrics) {
  return std::all_of(metrics.begin(), metrics.end(), [&](const std::string& metric) {
    return std::isfinite(constant_value(run, metric));
  });
}

// Draws the metrics together, or says them where they never change.
void add_figure(FigureSet& set, Figures part, const RunRecord& run, CurveFigure figure,
                const std::vector<std::string>& metrics) {
  if (is_constant(run, metrics)) {
    for (const std::string& metric : metrics) {
      set.constants.push_back(fmt::format("{} ({}) = {}", symbol_of({metric}), help_text({metric}),
                                          report::short_number(constant_value(run, metric))));
    }
    return;
  }
  for (const std::string& metric : metrics) add_curve(figure, run, {metric});
  (set.*part).push_back(std::move(figure));
}

// The part of a single metric in a comparison: that of the group which names it first.
Figures part_of(std::string_view metric) {
  for (const Group& group : groups()) {
    for (const std::string_view pattern : group.metrics) {
      if (belongs(metric, pattern)) return group.part;
    }
  }
  return &FigureSet::others;
}

std::string title_of(const Quantity& quantity) {
  const std::string help = help_text(quantity);
  return help.empty() ? symbol_of(quantity) : symbol_of(quantity) + ": " + help;
}

// As the figure of the paper calls it.
std::string paper_title(const std::string& metric) {
  if (metric == "objective") return "Objective f";
  return metric == "reward" ? "c⁽⁰⁾ = −R" : "c⁽¹⁾ = " + symbol_of({metric});
}

CurveFigure compared(const std::vector<RunRecord>& runs, const std::vector<std::string>& names,
                     const Quantity& quantity, const std::vector<std::string>& x_names) {
  CurveFigure figure = empty_figure(quantity.metric, title_of(quantity), x_names);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (!was_measured(runs[r], quantity.metric)) continue;
    Curve curve = step_curve(runs[r], quantity, x_names);
    curve.name = names[r];
    curve.help.clear();
    curve.colour = static_cast<int>(r);
    figure.curves.push_back(std::move(curve));
  }
  return figure;
}

bool is_flat(const CurveFigure& figure) {
  double first = std::nan("");
  for (const Curve& curve : figure.curves) {
    for (const double y : curve.mean) {
      if (std::isnan(y)) continue;
      if (std::isnan(first)) first = y;
      if (y != first) return false;
    }
  }
  return true;
}

// The constraints of that name, of all runs.
std::vector<ConstraintRecord> constraints_named(const std::vector<RunRecord>& runs,
                                                const std::vector<std::string>& names,
                                                std::string_view name) {
  std::vector<ConstraintRecord> list;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (ConstraintRecord constraint : runs[r].constraints) {
      if (constraint.name != name) continue;
      constraint.name = names[r];
      list.push_back(std::move(constraint));
    }
  }
  return list;
}

}  // namespace

std::vector<CurveFigure> FigureSet::all() const {
  std::vector<CurveFigure> list;
  for (const auto* part : {&paper, &nature, &policy, &others}) {
    list.insert(list.end(), part->begin(), part->end());
  }
  return list;
}

FigureSet run_figures(const RunRecord& run) {
  const std::vector<std::string> x_names = x_names_of({run});
  const std::vector<std::string> measured = measured_metrics({run});
  FigureSet set;
  set.paper = paper_figures(run, x_names);
  std::set<std::string> drawn = {"objective", "reward"};
  for (const std::string& metric : measured) {
    if (belongs(metric, "cost/")) drawn.insert(metric);
  }
  for (const Group& group : groups()) {
    std::vector<std::string> metrics;
    bool is_new = false;
    for (const std::string& metric : measured) {
      for (const std::string_view pattern : group.metrics) {
        if (!belongs(metric, pattern)) continue;
        metrics.push_back(metric);
        is_new = drawn.insert(metric).second || is_new;
      }
    }
    if (!is_new) continue;  // all of it is in the figures of the paper
    add_figure(set, group.part, run,
               empty_figure(std::string(group.id), std::string(group.title), x_names), metrics);
  }
  for (const std::string& metric : measured) {
    if (drawn.contains(metric)) continue;
    add_figure(set, &FigureSet::others, run,
               empty_figure("metric " + metric, symbol_of({metric}), x_names), {metric});
  }
  return set;
}

FigureSet comparison_figures(const std::vector<RunRecord>& runs,
                             const std::vector<std::string>& names) {
  const std::vector<std::string> x_names = x_names_of(runs);
  FigureSet set;
  for (const std::string& metric : measured_metrics(runs)) {
    const bool is_cost = belongs(metric, "cost/");
    const bool is_paper = is_cost || metric == "objective" || metric == "reward";
    CurveFigure figure = compared(runs, names, {metric, metric == "reward" ? -1.0 : 1.0}, x_names);
    if (!is_paper && is_flat(figure)) continue;
    if (is_cost) add_thresholds(figure, constraints_named(runs, names, metric.substr(5)));
    if (is_paper) figure.title = paper_title(metric);
    (set.*(is_paper ? &FigureSet::paper : part_of(metric))).push_back(std::move(figure));
  }
  return set;
}

}  // namespace rgu::align
