// A grid world: a colour for the number of each state, arrows for the policy, marks for start, goal
// and hazards.
#pragma once

#include <optional>
#include <string>

#include "rgu/record/run_record.hpp"
#include "rgu/report/svg.hpp"
#include "rgu/report/svg_heat_map.hpp"

namespace rgu::report {

struct GridMap {
  std::string title;
  GridRecord grid;
  Vector values;                 // (S)
  std::optional<Matrix> policy;  // (S, 4): north, east, south, west
  ColourRange range;
  double extent = 320;  // of the longer side, at most
};

Svg draw_grid(const GridMap& map);

// True where the cells are large enough for arrows.
bool has_room_for_arrows(const GridRecord& grid);

}  // namespace rgu::report
