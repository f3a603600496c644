// Records made from formulas, for the tests and to look at.
#pragma once

#include <string>
#include <vector>

#include "rgu/record/run_record.hpp"

namespace rgu {

// Ten states, five actions, five seeds of 300 iterations; a 4 x 6 matrix xi; all metrics.
RunRecord matrix_run();

// A 5 x 7 grid world with walls, goal and hazards; xi has an entry for each state and action. No
// proximal mappings; constraints.
RunRecord grid_run();

// `matrix_run` in which every text tries to break out of the page.
RunRecord hostile_run();

// A vector xi, one seed of one iteration.
RunRecord smallest_run();

// One seed that holds only `values` as its objective.
RunRecord objective_run(const std::vector<std::vector<double>>& values);

}  // namespace rgu
