#include "rgu/align/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rgu::align {

double final_mean(const SeedRecord& seed, std::string_view metric) {
  const std::size_t last =
      std::min(seed.steps.size(), std::max<std::size_t>(5, seed.steps.size() / 10));
  double sum = 0;
  std::size_t count = 0;
  for (auto step = seed.steps.end() - static_cast<std::ptrdiff_t>(last); step != seed.steps.end();
       ++step) {
    const double value = step->at(metric);
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> final_means(const RunRecord& run, std::string_view metric) {
  std::vector<double> means;
  for (const SeedRecord& seed : run.seeds) {
    if (!seed.steps.empty()) means.push_back(final_mean(seed, metric));
  }
  return means;
}

std::size_t seeds_within_thresholds(const RunRecord& run) {
  const auto within = [&](const SeedRecord& seed) {
    return !seed.steps.empty() &&
           std::all_of(run.constraints.begin(), run.constraints.end(),
                       [&](const ConstraintRecord& constraint) {
                         return final_mean(seed, "cost/" + constraint.name) <= constraint.threshold;
                       });
  };
  return static_cast<std::size_t>(std::count_if(run.seeds.begin(), run.seeds.end(), within));
}

}  // namespace rgu::align
