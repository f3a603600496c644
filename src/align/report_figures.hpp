// Which numbers of alignment runs share a figure.
#pragma once

#include <string>
#include <vector>

#include "rgu/align/record.hpp"
#include "rgu/report/curves.hpp"

namespace rgu::align {

struct FigureSet {
  std::vector<report::CurveFigure> paper = {};   // objective, -R and C, with the thresholds
  std::vector<report::CurveFigure> nature = {};  // multipliers, weights, worst case
  std::vector<report::CurveFigure> policy = {};  // KL, entropy, lengths
  std::vector<report::CurveFigure> others = {};  // every other number
  std::vector<std::string> constants = {};       // not drawn: "η learning rate = 0.001"

  std::vector<report::CurveFigure> all() const;
};

FigureSet run_figures(const RunRecord& run);

// A figure for each number with a curve for each run, called by `names`. Numbers that are the same
// at all times in all runs are left out.
FigureSet comparison_figures(const std::vector<RunRecord>& runs,
                             const std::vector<std::string>& names);

}  // namespace rgu::align
