// Several runs put together: which seed did best where, and their curves on the same axes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rgu/record/run_record.hpp"
#include "rgu/report/curves.hpp"

namespace rgu::report {

struct SeedRow {
  std::uint64_t seed = 0;
  std::vector<const WorstCaseRecord*> cells;  // one a run; null: the run has no such seed
  int lowest = -1;                            // the run with the lowest Gamma; -1: none
  std::string verdict;                        // "B by 0.012", "tie", "B by 0.012, not certain"
};

// Points into the runs, which must outlive it.
struct Comparison {
  std::vector<std::string> names;  // of the runs: "A · " and the method
  std::vector<SeedRow> rows;       // by seed, ascending
  std::vector<std::size_t> wins;   // of each run
  std::vector<CurveFigure> figures;
};

// A run wins a seed where its Gamma is the lowest by more than 1e-9 relative. The win is certain
// where even Gamma + gap of the winner is below every other Gamma; only solved seeds take part.
Comparison comparison_of(const std::vector<RunRecord>& runs);

}  // namespace rgu::report
