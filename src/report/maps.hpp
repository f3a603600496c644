// The maps of one seed: what the policy does, where it goes, and the utility at which it does
// worst.
#pragma once

#include <string>
#include <vector>

#include "rgu/record/run_record.hpp"
#include "rgu/report/svg.hpp"

namespace rgu::report {

struct Panel {
  std::string name;   // file stem
  std::string label;  // what it shows, in words
  Svg svg;
};

struct Panels {
  std::vector<Panel> panels;
  std::vector<std::string> sentences;  // what is left out, and how to read it
};

// On the grid of a grid world, else as (S, A) heat maps. Empty where nothing was recorded.
Panels policy_panels(const RunRecord& run, const SeedRecord& seed);

// Worst xi, nominal xi and their difference: on the grid where xi has an entry for each state, or
// for each state and action; as pairs for a vector; else as (nature_rows, nature_columns) heat
// maps.
Panels nature_panels(const RunRecord& run, const SeedRecord& seed);

// Nominal value and worst case of every seed.
Svg draw_price(const RunRecord& run);

}  // namespace rgu::report
