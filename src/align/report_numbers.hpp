// The numbers of a run as pages show them: by step over the seeds, and at the end.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rgu/align/record.hpp"
#include "rgu/report/curves.hpp"
#include "rgu/report/summary.hpp"

namespace rgu::align {

// A number of metrics.jsonl, or its negative.
struct Quantity {
  std::string metric = {};
  double sign = 1;
};

// Names of the metrics with a finite number in some run: those of kMetricHelp in its order, then
// others in the order of first appearance.
std::vector<std::string> measured_metrics(const std::vector<RunRecord>& runs);
bool was_measured(const RunRecord& run, std::string_view metric);

// "−R"; "C harm" of a metric such as "cost/harm". The metric's name where nothing is known of it.
std::string symbol_of(const Quantity& quantity);
std::string help_text(const Quantity& quantity);

// "outer step" and, where all runs have it, "seconds".
std::vector<std::string> x_names_of(const std::vector<RunRecord>& runs);

// The quantity over the outer steps, against those axes: mean and deviation over the seeds that
// have the step. Steps where no seed has a finite number are gaps.
report::Curve step_curve(const RunRecord& run, const Quantity& quantity,
                         const std::vector<std::string>& x_names);

// How many steps at the end final_mean (summary.hpp) takes.
std::size_t last_steps(std::size_t steps);

// Over the seeds: of their final means, and of their first steps.
report::Spread last_spread(const RunRecord& run, std::string_view metric);
report::Spread first_spread(const RunRecord& run, std::string_view metric);

// In how many of the seeds that measured the cost its final mean is at most the threshold.
struct Met {
  std::size_t seeds = 0;
  std::size_t of = 0;
};
Met threshold_met(const RunRecord& run, const ConstraintRecord& constraint);

// The number that all steps of all seeds have, if there are two at least; otherwise NaN.
double constant_value(const RunRecord& run, std::string_view metric);

}  // namespace rgu::align
