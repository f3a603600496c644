// A matrix as a heat map with names, a colour bar and, where there is room, the numbers.
#pragma once

#include <string>
#include <vector>

#include "rgu/base/types.hpp"
#include "rgu/report/svg.hpp"

namespace rgu::report {

// Maps with more cells do not tell the number of each when hovered.
inline constexpr Index kMostCellsWithTips = 600;

// What colours stand for.
struct ColourRange {
  enum class Kind { kSequential, kDiverging } kind = Kind::kSequential;
  double low = 0;
  double high = 1;

  MapColour colour(double value) const;
};

// From the least to the greatest finite number; all of one value: a range around it.
ColourRange sequential_range(const Matrix& values);
// Symmetric about 0.
ColourRange diverging_range(const Matrix& values);

struct HeatMap {
  std::string title;
  Matrix values;
  std::string row_axis;
  std::string column_axis;
  std::vector<std::string> row_names;     // one a row
  std::vector<std::string> column_names;  // one a column
  ColourRange range;
};

Svg draw_heat_map(const HeatMap& map);

// A vertical bar that explains the colours, `height` high, about 70 wide.
void draw_colour_bar(Svg& svg, Point top_left, double height, const ColourRange& range);

}  // namespace rgu::report
