#include "rgu/align/report_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "rgu/align/summary.hpp"

namespace rgu::align {
namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

// For every seed a list with one entry a place, NaN where value(seed, i) is not finite.
template <class Value>
std::vector<std::vector<double>> seed_lists(const RunRecord& run,
                                            const std::map<Index, std::size_t>& places,
                                            Value value) {
  std::vector<std::vector<double>> lists;
  for (const SeedRecord& seed : run.seeds) {
    std::vector<double>& list = lists.emplace_back(places.size(), kGap);
    for (std::size_t i = 0; i < seed.steps.size(); ++i) {
      const double y = value(seed, i);
      if (std::isfinite(y)) list[places.at(seed.steps[i].iteration)] = y;
    }
  }
  return lists;
}

report::Spread spread_at(const std::vector<std::vector<double>>& lists, std::size_t place) {
  std::vector<double> values;
  for (const auto& list : lists) values.push_back(list[place]);
  return report::spread_of(values);
}

std::map<Index, std::size_t> places_of_steps(const RunRecord& run) {
  std::map<Index, std::size_t> places;
  for (const SeedRecord& seed : run.seeds) {
    for (const StepNumbers& step : seed.steps) places[step.iteration] = 0;
  }
  std::size_t next = 0;
  for (auto& [iteration, place] : places) place = next++;
  return places;
}

// Mean wall time at each step, made nondecreasing: seeds need not have the same steps.
std::vector<double> mean_seconds(const RunRecord& run, const std::map<Index, std::size_t>& places) {
  const auto lists = seed_lists(run, places, [](const SeedRecord& seed, std::size_t i) {
    return i < seed.seconds.size() ? seed.seconds[i] : kGap;
  });
  std::vector<double> means;
  double most = -HUGE_VAL;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double mean = spread_at(lists, i).mean;
    if (std::isfinite(mean)) most = std::max(most, mean);
    means.push_back(std::isfinite(mean) ? most : kGap);
  }
  return means;
}

std::string_view after_slash(std::string_view metric) {
  const std::size_t slash = metric.find('/');
  return slash == metric.npos ? std::string_view() : metric.substr(slash + 1);
}

}  // namespace

std::vector<std::string> measured_metrics(const std::vector<RunRecord>& runs) {
  std::vector<std::string> names;
  std::set<std::string, std::less<>> seen;
  for (const RunRecord& run : runs) {
    for (const SeedRecord& seed : run.seeds) {
      for (const StepNumbers& step : seed.steps) {
        for (const auto& [name, value] : step.values) {
          if (std::isfinite(value) && seen.insert(name).second) names.push_back(name);
        }
      }
    }
  }
  const auto rank = [](const std::string& name) {
    const MetricHelp* help = help_of(name);
    return help == nullptr ? std::ssize(kMetricHelp) : help - kMetricHelp.data();
  };
  std::stable_sort(names.begin(), names.end(),
                   [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
  return names;
}

bool was_measured(const RunRecord& run, std::string_view metric) {
  return std::any_of(run.seeds.begin(), run.seeds.end(), [&](const SeedRecord& seed) {
    return std::any_of(seed.steps.begin(), seed.steps.end(),
                       [&](const StepNumbers& step) { return std::isfinite(step.at(metric)); });
  });
}

std::string symbol_of(const Quantity& quantity) {
  const MetricHelp* help = help_of(quantity.metric);
  if (help == nullptr) return (quantity.sign < 0 ? "−" : "") + quantity.metric;
  const std::string_view owner = after_slash(quantity.metric);
  return fmt::format("{}{}{}{}", quantity.sign < 0 ? "−" : "", help->symbol,
                     owner.empty() ? "" : " ", owner);
}

std::string help_text(const Quantity& quantity) {
  const MetricHelp* help = help_of(quantity.metric);
  if (help == nullptr) return "";
  return quantity.sign < 0 ? fmt::format("the negative of: {}", help->help)
                           : std::string(help->help);
}

std::vector<std::string> x_names_of(const std::vector<RunRecord>& runs) {
  const bool timed = std::all_of(runs.begin(), runs.end(), [](const RunRecord& run) {
    return std::any_of(run.seeds.begin(), run.seeds.end(),
                       [](const SeedRecord& seed) { return !seed.seconds.empty(); });
  });
  return timed ? std::vector<std::string>{"outer step", "seconds"}
               : std::vector<std::string>{"outer step"};
}

report::Curve step_curve(const RunRecord& run, const Quantity& quantity,
                         const std::vector<std::string>& x_names) {
  const std::map<Index, std::size_t> places = places_of_steps(run);
  report::Curve curve;
  curve.name = symbol_of(quantity);
  curve.help = help_text(quantity);
  curve.measured = places.size();
  std::vector<double>& steps = curve.x.emplace_back();
  for (const auto& [iteration, place] : places) steps.push_back(static_cast<double>(iteration));
  if (x_names.size() > 1) curve.x.push_back(mean_seconds(run, places));
  curve.seeds = seed_lists(run, places, [&](const SeedRecord& seed, std::size_t i) {
    return quantity.sign * seed.steps[i].at(quantity.metric);
  });
  for (std::size_t i = 0; i < places.size(); ++i) {
    const report::Spread spread = spread_at(curve.seeds, i);
    curve.mean.push_back(spread.mean);
    curve.deviation.push_back(spread.deviation);
  }
  for (const SeedRecord& seed : run.seeds) curve.labels.push_back(fmt::format("{}", seed.seed));
  return report::thinned(std::move(curve));
}

std::size_t last_steps(std::size_t steps) {
  return std::min(steps, std::max<std::size_t>(5, steps / 10));
}

report::Spread last_spread(const RunRecord& run, std::string_view metric) {
  return report::spread_of(final_means(run, metric));
}

report::Spread first_spread(const RunRecord& run, std::string_view metric) {
  std::vector<double> values;
  for (const SeedRecord& seed : run.seeds) {
    if (!seed.steps.empty()) values.push_back(seed.steps.front().at(metric));
  }
  return report::spread_of(values);
}

Met threshold_met(const RunRecord& run, const ConstraintRecord& constraint) {
  Met met;
  for (const SeedRecord& seed : run.seeds) {
    const double cost = final_mean(seed, "cost/" + constraint.name);
    if (std::isnan(cost)) continue;
    ++met.of;
    if (cost <= constraint.threshold) ++met.seeds;
  }
  return met;
}

double constant_value(const RunRecord& run, std::string_view metric) {
  double value = kGap;
  std::size_t points = 0;
  for (const SeedRecord& seed : run.seeds) {
    for (const StepNumbers& step : seed.steps) {
      const double here = step.at(metric);
      if (!std::isfinite(here)) continue;
      if (points++ == 0) value = here;
      if (here != value) return kGap;
    }
  }
  return points > 1 ? value : kGap;
}

}  // namespace rgu::align
