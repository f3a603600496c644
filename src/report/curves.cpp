#include "rgu/report/curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "rgu/report/summary.hpp"
#include "rgu/report/text.hpp"

namespace rgu::report {
namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
const std::vector<std::string> kAllX = {"iteration", "samples", "seconds"};

struct Group {
  std::string_view id;
  std::string_view title;
  Scale scale;
  std::vector<std::string_view> metrics;
};

const std::vector<Group>& paper_groups() {
  static const std::vector<Group> kGroups = {
      {"paper_objective", "Objective f", Scale::kLinear, {"objective"}},
      {"paper_policy_mapping", "Policy mapping |Gᵏ_Θ,σ|", Scale::kLinear, {"prox_policy_mapping"}},
      {"paper_nature_mapping", "Nature mapping |Gᵏ_Ξ,σ|", Scale::kLinear, {"prox_nature_mapping"}}};
  return kGroups;
}

const std::vector<Group>& other_groups() {
  static const std::vector<Group> kGroups = {
      {"objective",
       "Objective, worst case and nominal value",
       Scale::kLinear,
       {"objective", "envelope", "nominal", "lower_bound"}},
      {"optimality_gap",
       "Optimality gap of the worst case, at most",
       Scale::kLog,
       {"optimality_gap"}},
      {"saddle_gap",
       "Saddle gap of the averages, and the theorem's bound",
       Scale::kLog,
       {"saddle_gap", "saddle_gap_bound"}},
      {"residual", "Stationarity residual", Scale::kLog, {"residual"}},
      {"mappings",
       "Gradient mappings",
       Scale::kLog,
       {"policy_mapping", "nature_mapping", "policy_mapping_bound"}},
      {"prox_mappings",
       "Proximal gradient mappings",
       Scale::kLog,
       {"prox_policy_mapping", "prox_nature_mapping"}},
      {"moves", "Moves in one iteration", Scale::kLog, {"policy_move", "nature_move"}},
      {"vi_gap", "Gap of the subproblem", Scale::kLog, {"vi_gap"}},
      {"nature_residual", "Optimality of nature", Scale::kLog, {"nature_residual"}},
      {"nature_distance",
       "Distance of nature from the nominal utility",
       Scale::kLinear,
       {"nature_distance"}},
      {"envelope_gap", "Certified gap of the worst case", Scale::kLog, {"envelope_gap"}},
      {"violation", "Violation of the constraints", Scale::kLinear, {"violation"}},
      {"steps", "Step sizes", Scale::kLinear, {"policy_step", "nature_step"}}};
  return kGroups;
}

const MetricField& field_named(std::string_view name) {
  return *std::find_if(kMetricFields.begin(), kMetricFields.end(),
                       [&](const MetricField& field) { return field.name == name; });
}

std::string envelope_kinds(const RunRecord& run) {
  std::set<AnswerKind> kinds;
  for (const SeedRecord& seed : run.seeds) {
    for (const Metrics& m : seed.metrics) {
      if (std::isfinite(m.envelope)) kinds.insert(m.envelope_kind);
    }
  }
  std::string text;
  for (const AnswerKind kind : kinds) {
    text += (text.empty() ? "" : " or ") + std::string(name_of(kind));
  }
  return text;
}

// The place of every iteration that some seed has. A metric that was measured at fewer than half of
// them is drawn at its own: between gaps on both sides a point would not be seen.
std::map<Index, std::size_t> places_of_iterations(const RunRecord& run, const MetricField& field) {
  std::map<Index, std::size_t> places, measured;
  for (const SeedRecord& seed : run.seeds) {
    for (const Metrics& m : seed.metrics) {
      places[m.iteration] = 0;
      if (std::isfinite(m.*field.member)) measured[m.iteration] = 0;
    }
  }
  if (2 * measured.size() < places.size()) places = std::move(measured);
  std::size_t next = 0;
  for (auto& [iteration, place] : places) place = next++;
  return places;
}

// For every seed a list with one entry a place, filled by `value(seed, i)`.
template <class Value>
std::vector<std::vector<double>> seed_lists(const RunRecord& run,
                                            const std::map<Index, std::size_t>& places,
                                            Value value) {
  std::vector<std::vector<double>> lists;
  for (const SeedRecord& seed : run.seeds) {
    std::vector<double>& list = lists.emplace_back(places.size(), kGap);
    for (std::size_t i = 0; i < seed.metrics.size(); ++i) {
      const auto place = places.find(seed.metrics[i].iteration);
      if (place != places.end()) list[place->second] = value(seed, i);
    }
  }
  return lists;
}

std::vector<Spread> spreads(const std::vector<std::vector<double>>& lists, std::size_t length) {
  std::vector<Spread> result(length);
  std::vector<double> column(lists.size());
  for (std::size_t i = 0; i < length; ++i) {
    for (std::size_t s = 0; s < lists.size(); ++s) column[s] = lists[s][i];
    result[i] = spread_of(column);
  }
  return result;
}

std::vector<double> nondecreasing_means(const std::vector<std::vector<double>>& lists,
                                        std::size_t length) {
  std::vector<double> means(length);
  double highest = -HUGE_VAL;
  const std::vector<Spread> all = spreads(lists, length);
  for (std::size_t i = 0; i < length; ++i) {
    highest = std::max(highest, std::isnan(all[i].mean) ? -HUGE_VAL : all[i].mean);
    means[i] = std::isnan(all[i].mean) ? kGap : highest;
  }
  return means;
}

double seconds_at(const SeedRecord& seed, std::size_t i) {
  return i < seed.seconds.size() ? seed.seconds[i] : kGap;
}

// One number at all times in all seeds, or NaN.
double constant_value(const RunRecord& run, const MetricField& field) {
  double value = kGap;
  std::size_t points = 0;
  for (const SeedRecord& seed : run.seeds) {
    for (const Metrics& m : seed.metrics) {
      const double here = m.*field.member;
      if (!std::isfinite(here)) continue;
      if (points++ == 0) value = here;
      if (here != value) return kGap;
    }
  }
  return points > 1 ? value : kGap;
}

CurveFigure figure_of(const RunRecord& run, const Group& group) {
  CurveFigure figure{
      std::string(group.id), std::string(group.title), group.scale, x_names_of({run}), {}};
  for (const std::string_view name : group.metrics) {
    const MetricField& field = field_named(name);
    if (!was_measured(run, field)) continue;
    Curve curve = metric_curve(run, field);
    keep_x(curve, figure.x_names);
    curve.colour = static_cast<int>(figure.curves.size());
    figure.curves.push_back(thinned(std::move(curve)));
  }
  settle_scale(figure);
  return figure;
}

bool is_constant(const RunRecord& run, const Group& group) {
  return group.id != "objective" &&
         std::all_of(group.metrics.begin(), group.metrics.end(), [&](std::string_view name) {
           const MetricField& field = field_named(name);
           return !was_measured(run, field) || std::isfinite(constant_value(run, field));
         });
}

bool has_paper_figures(const RunRecord& run) {
  return was_measured(run, field_named("prox_policy_mapping")) &&
         was_measured(run, field_named("prox_nature_mapping"));
}

}  // namespace

bool was_measured(const RunRecord& run, const MetricField& field) {
  return std::any_of(run.seeds.begin(), run.seeds.end(), [&](const SeedRecord& seed) {
    return std::any_of(seed.metrics.begin(), seed.metrics.end(),
                       [&](const Metrics& m) { return std::isfinite(m.*field.member); });
  });
}

Scale usual_scale(const MetricField& field) {
  for (const Group& group : other_groups()) {
    for (const std::string_view name : group.metrics) {
      if (name == field.name) return group.scale;
    }
  }
  return Scale::kLinear;
}

void settle_scale(CurveFigure& figure) {
  for (const Curve& curve : figure.curves) {
    for (const auto& seed : curve.seeds) {
      for (const double y : seed) {
        if (y <= 0) figure.scale = Scale::kLinear;
      }
    }
  }
}

std::vector<std::string> x_names_of(const std::vector<RunRecord>& runs) {
  std::vector<std::string> names = {"iteration"};
  const auto all_have = [&](auto has) {
    return std::all_of(runs.begin(), runs.end(), [&](const RunRecord& run) {
      return std::any_of(run.seeds.begin(), run.seeds.end(), has);
    });
  };
  if (all_have(
          [](const SeedRecord& s) { return !s.metrics.empty() && s.metrics.back().samples; })) {
    names.emplace_back("samples");
  }
  if (all_have([](const SeedRecord& s) { return !s.seconds.empty(); })) {
    names.emplace_back("seconds");
  }
  return names;
}

void keep_x(Curve& curve, const std::vector<std::string>& names) {
  std::vector<std::vector<double>> kept;
  for (std::size_t i = 0; i < kAllX.size(); ++i) {
    if (std::find(names.begin(), names.end(), kAllX[i]) != names.end()) kept.push_back(curve.x[i]);
  }
  curve.x = std::move(kept);
}

Curve metric_curve(const RunRecord& run, const MetricField& field) {
  const std::map<Index, std::size_t> places = places_of_iterations(run, field);
  const std::size_t n = places.size();
  Curve curve;
  curve.name = field.symbol;
  curve.help = field.help;
  curve.measured = n;
  if (field.name == "envelope") curve.name += " (" + envelope_kinds(run) + ")";
  std::vector<double> iterations;
  for (const auto& [iteration, place] : places) {
    iterations.push_back(static_cast<double>(iteration));
  }
  const auto samples = [](const SeedRecord& seed, std::size_t i) {
    return static_cast<double>(seed.metrics[i].samples);
  };
  curve.x = {std::move(iterations), nondecreasing_means(seed_lists(run, places, samples), n),
             nondecreasing_means(seed_lists(run, places, seconds_at), n)};
  curve.seeds = seed_lists(run, places, [&](const SeedRecord& seed, std::size_t i) {
    const double y = seed.metrics[i].*field.member;
    return std::isfinite(y) ? y : kGap;
  });
  curve.mean.reserve(n);
  curve.deviation.reserve(n);
  for (const Spread& spread : spreads(curve.seeds, n)) {
    curve.mean.push_back(spread.mean);
    curve.deviation.push_back(spread.deviation);
  }
  for (const SeedRecord& seed : run.seeds) curve.labels.push_back(fmt::format("{}", seed.seed));
  return curve;
}

Curve thinned(Curve curve, std::size_t most) {
  const std::size_t n = curve.mean.size();
  if (n <= most) return curve;
  std::vector<const std::vector<double>*> lists = {&curve.mean};
  for (const auto& seed : curve.seeds) lists.push_back(&seed);
  const std::size_t stretches = std::max<std::size_t>(8, most / (2 * lists.size()));
  std::set<std::size_t> kept = {0, n - 1};
  for (std::size_t b = 0; b < stretches; ++b) {
    const std::size_t first = b * n / stretches;
    const std::size_t last = (b + 1) * n / stretches;
    for (const auto* list : lists) {
      std::size_t low = n, high = n;
      for (std::size_t i = first; i < last; ++i) {
        if (std::isnan((*list)[i])) continue;
        if (low == n || (*list)[i] < (*list)[low]) low = i;
        if (high == n || (*list)[i] > (*list)[high]) high = i;
      }
      if (low < n) kept.insert({low, high});
    }
  }
  const auto thin = [&](std::vector<double>& list) {
    std::vector<double> fewer;
    fewer.reserve(kept.size());
    for (const std::size_t i : kept) fewer.push_back(list[i]);
    list = std::move(fewer);
  };
  thin(curve.mean);
  thin(curve.deviation);
  for (auto& list : curve.x) thin(list);
  for (auto& list : curve.seeds) thin(list);
  return curve;
}

CurveSet curve_set(const RunRecord& run) {
  CurveSet set;
  const bool paper = has_paper_figures(run);
  if (paper) {
    for (const Group& group : paper_groups()) {
      CurveFigure figure = figure_of(run, group);
      if (!figure.curves.empty()) set.paper.push_back(std::move(figure));
    }
  }
  for (const Group& group : other_groups()) {
    if (paper && group.id == "prox_mappings") continue;
    if (is_constant(run, group)) {
      for (const std::string_view name : group.metrics) {
        const MetricField& field = field_named(name);
        if (was_measured(run, field)) set.constants.push_back({field, constant_value(run, field)});
      }
      continue;
    }
    CurveFigure figure = figure_of(run, group);
    const bool repeats = paper && group.id == "objective" && figure.curves.size() == 1;
    if (!figure.curves.empty() && !repeats) set.others.push_back(std::move(figure));
  }
  return set;
}

}  // namespace rgu::report
