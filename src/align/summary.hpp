// An alignment run in a few numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rgu/align/record.hpp"

namespace rgu::align {

// The mean of a metric over the last tenth of a seed's steps, five at least, all where there are
// fewer; NaN where it was not measured.
double final_mean(const SeedRecord& seed, std::string_view metric);

// Of every seed that has a step.
std::vector<double> final_means(const RunRecord& run, std::string_view metric);

// In how many seeds every cost ends at or below its threshold.
std::size_t seeds_within_thresholds(const RunRecord& run);

}  // namespace rgu::align
