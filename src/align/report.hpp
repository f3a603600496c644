// Alignment runs as web pages that need nothing else.
#pragma once

#include <string>
#include <vector>

#include "rgu/align/record.hpp"

namespace rgu::align {

// The page of one run: result, the figure of the paper (objective, reward and cost over the outer
// steps, mean and deviation over the seeds), multipliers and weights, KL, lengths, every other
// number, a table of answers before and after, settings.
std::string html_report(const RunRecord& run);

// Several runs of one problem side by side: one curve a run in every figure, a table of results,
// and the answers of each run to the same prompts.
struct Comparison {
  std::string title = {};
  std::string lead = {};  // a sentence or two
  std::vector<RunRecord> runs = {};
};
std::string html_comparison(const Comparison& comparison);

}  // namespace rgu::align
