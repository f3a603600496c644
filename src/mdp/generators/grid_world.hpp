// Grid worlds: walls, a start, goals and hazards, and steps that may slip.
#pragma once

#include <string>
#include <string_view>

#include "rgu/base/rng.hpp"
#include "rgu/mdp/world_slice.hpp"

namespace rgu {

// What a goal cell does: holds whoever enters it for ever, or lets them walk on.
enum class GoalCells { kAbsorbing, kOpen };

struct GridOptions {
  double slip = 0.1;  // probability of leaving the intended direction, in [0, 1]
  double discount = 0.95;
  GoalCells goals = GoalCells::kAbsorbing;
};

// The map is lines of equal length, of '#' wall, '.' free, 'S' start, 'G' goal, 'H' hazard, 'a' ..
// 'z' free with a mark; the last line may end in a line break. States are the cells that are not
// walls, row by row from the top left. Actions 0 north (up), 1 east, 2 south, 3 west: the step goes
// that way with probability 1 - slip and to each of the two perpendicular ways with slip / 2; a
// step into a wall or off the map stays. The start is uniform over the S cells; hazards are entered
// and left like free cells.
//
// Signals (S, A), the same for all actions: "goal" 1 in goal cells, "hazard" 1 in hazard cells,
// "reward" the same as "goal"; for each letter on the map, "a" .. "z", 1 in its cells. Sparse
// kernel, and the layout of the cells. Throws InvalidInput, naming line and column of the map, on
// any other map or one without S, and unless slip and discount are in range.
World grid_world(std::string_view map, const GridOptions& options = {});

// The slice of the same model, bit for bit, made alone: O(cells) memory besides the slice. It has a
// signal for every letter on the map, in the slice or not. Throws also on a range outside the
// states.
WorldSlice grid_world_slice(std::string_view map, const GridOptions& options,
                            const StateRange& own);

ModelSize grid_world_size(std::string_view map);

struct RandomGridOptions {
  Index rows = 10;
  Index columns = 10;
  double wall_probability = 0.2;    // of each cell, in [0, 1)
  double hazard_probability = 0.1;  // of each cell that is no wall, in [0, 1)
};

// A map for grid_world: S at the top left, G at the bottom right, each other cell drawn on its own.
// Drawn again, up to 1000 times, until walls leave a way from S to G; throws InvalidInput if none
// did, and unless there are at least two cells and the options are in range.
std::string random_grid_map(const RandomGridOptions& options, Rng& rng);

}  // namespace rgu
