// The numbers that the page states in words.
#pragma once

#include <string>
#include <vector>

#include "rgu/record/run_record.hpp"

namespace rgu::report {

// Mean and sample standard deviation (divisor n - 1) of the finite ones of some values. The mean of
// none and the deviation of fewer than two are NaN.
struct Spread {
  double mean = 0;
  double deviation = 0;
  std::size_t count = 0;
};
Spread spread_of(const std::vector<double>& values);

// "−0.1251 ± 0.0042": the deviation with two digits, the mean with as many decimals. Without the
// deviation where there is none.
std::string text_of(const Spread& spread);

struct Summary {
  std::size_t best = 0;  // the seed with the lowest worst case: its place in `seeds`
  Spread worst;          // of Gamma, over the solved seeds
  Spread nominal;
  Spread price;       // Gamma - nominal, seed by seed
  std::string kinds;  // of those Gammas: "all exact", "3 exact, 2 best found"
  std::size_t unsolved = 0;
};

// Unsolved seeds count only where there are no others.
Summary summary_of(const RunRecord& run);

// "exact", "certified, gap 1.2×10⁻⁴", "best found".
std::string kind_text(const WorstCaseRecord& worst_case);

// How far the policies are from the best possible, at most, in a sentence; empty where nothing is
// proven.
std::string optimality_text(const RunRecord& run);

// How the policies do in the worst case against those trained without ambiguity, in a sentence;
// empty where there are none.
std::string baseline_text(const RunRecord& run);
// The same for the published method.
std::string published_text(const RunRecord& run);

// Throws InvalidInput unless the shapes of the record agree: policies, occupancies and the grid
// with the states and actions, nature with its rows and columns. Empty parts are allowed.
void check_shapes(const RunRecord& run);

}  // namespace rgu::report
