#include "rgu/report/svg_heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rgu/report/text.hpp"

namespace rgu::report {
namespace {

constexpr double kHeadSpace = 58;  // title, name of the columns' axis, names of the columns
constexpr double kBarSpace = 76;

struct CellSize {
  double width, height;
};

double widest(const std::vector<std::string>& names, double size) {
  double width = 0;
  for (const std::string& name : names) width = std::max(width, text_width(name, size));
  return width;
}

CellSize cell_size(const HeatMap& map) {
  const auto rows = static_cast<double>(map.values.rows());
  const auto columns = static_cast<double>(map.values.cols());
  // A few columns are made wide enough for their names.
  const double names = columns <= 12 ? widest(map.column_names, 10) + 6 : 0;
  return {std::clamp(std::max(210 / columns, names), 6.0, std::max(44.0, std::min(names, 62.0))),
          std::clamp(440 / rows, 5.0, 24.0)};
}

Box cell_box(Point origin, CellSize size, Index row, Index column) {
  return {origin.x + static_cast<double>(column) * size.width,
          origin.y + static_cast<double>(row) * size.height, size.width, size.height};
}

std::string two_decimals(double value) {
  if (value == 0) return "0";
  return (value < 0 ? "−" : "") + fmt::format("{:.2f}", std::abs(value));
}

bool has_room_for_numbers(const HeatMap& map, CellSize size) {
  if (size.width < 33 || size.height < 17) return false;
  const double largest = map.values.cwiseAbs().maxCoeff();
  return std::isfinite(largest) && largest < 100 && largest >= 0.095;
}

void draw_named_cells(Svg& svg, const HeatMap& map, Point origin, CellSize size) {
  const bool numbers = has_room_for_numbers(map, size);
  for (Index i = 0; i < map.values.rows(); ++i) {
    for (Index j = 0; j < map.values.cols(); ++j) {
      const double value = map.values(i, j);
      const MapColour colour = map.range.colour(value);
      const Box box = cell_box(origin, size, i, j);
      svg.cell(box, colour.rgb,
               fmt::format("{} {}, {} {}: {}", map.row_axis, map.row_names[i], map.column_axis,
                           map.column_names[j], number(value)));
      if (!numbers) continue;
      const Paint paint = colour.dark ? Paint{"on-dark", "#ffffff"} : Paint{"on-light", "#000000"};
      svg.text({box.x + box.width / 2, box.y + box.height / 2 + 3.5}, two_decimals(value),
               {.paint = paint, .size = 10, .anchor = "middle"});
    }
  }
}

void draw_plain_cells(Svg& svg, const HeatMap& map, Point origin, CellSize size) {
  std::vector<Tile> tiles;
  for (Index i = 0; i < map.values.rows(); ++i) {
    for (Index j = 0; j < map.values.cols(); ++j) {
      tiles.push_back({cell_box(origin, size, i, j), map.range.colour(map.values(i, j)).rgb});
    }
  }
  svg.tiles(tiles);
}

void draw_names(Svg& svg, const HeatMap& map, Point origin, CellSize size) {
  const auto row_stride = static_cast<Index>(std::ceil(13 / size.height));
  for (Index i = 0; i < map.values.rows(); i += row_stride) {
    svg.text({origin.x - 6, origin.y + (static_cast<double>(i) + 0.5) * size.height + 3.5},
             map.row_names[i], {.paint = kMuted, .size = 10, .anchor = "end"});
  }
  const double room = widest(map.column_names, 10) + 6;
  const auto column_stride = static_cast<Index>(std::ceil(room / size.width));
  for (Index j = 0; j < map.values.cols(); j += column_stride) {
    svg.text({origin.x + (static_cast<double>(j) + 0.5) * size.width, origin.y - 6},
             map.column_names[j], {.paint = kMuted, .size = 10, .anchor = "middle"});
  }
  svg.text({origin.x, origin.y - 20}, map.column_axis + " →", {.paint = kMuted, .size = 10});
  svg.text({origin.x - 6, origin.y - 6}, map.row_axis + " ↓",
           {.paint = kMuted, .size = 10, .anchor = "end"});
}

struct Extremes {
  double low, high;
};

Extremes extremes_of(const Matrix& values) {
  Extremes e{HUGE_VAL, -HUGE_VAL};
  for (const double value : values.reshaped()) {
    if (!std::isfinite(value)) continue;
    e.low = std::min(e.low, value);
    e.high = std::max(e.high, value);
  }
  return e.low <= e.high ? e : Extremes{0, 1};
}

}  // namespace

MapColour ColourRange::colour(double value) const {
  if (!std::isfinite(value)) return {"#b5bcc4", false};
  // 64 steps: as fine as the eye, and large maps stay small.
  const double fraction = std::round(63 * (value - low) / (high - low)) / 63;
  return kind == Kind::kSequential ? sequential(fraction) : diverging(2 * fraction - 1);
}

ColourRange sequential_range(const Matrix& values) {
  const auto [low, high] = extremes_of(values);
  if (low < high) return {ColourRange::Kind::kSequential, low, high};
  const double half = low == 0 ? 1 : 0.5 * std::abs(low);
  return {ColourRange::Kind::kSequential, low - half, high + half};
}

ColourRange diverging_range(const Matrix& values) {
  const auto [low, high] = extremes_of(values);
  const double largest = std::max(std::abs(low), std::abs(high));
  const double bound = largest > 0 ? largest : 1;
  return {ColourRange::Kind::kDiverging, -bound, bound};
}

Svg draw_heat_map(const HeatMap& map) {
  const CellSize size = cell_size(map);
  const double left = 14 + std::max(widest(map.row_names, 10), text_width(map.row_axis + " ↓", 10));
  const Point origin = {left, kHeadSpace};
  const double width = size.width * static_cast<double>(map.values.cols());
  const double height = size.height * static_cast<double>(map.values.rows());
  const double bar = std::clamp(height, 70.0, 160.0);
  const double title = text_width(map.title, 13) + 4;
  Svg svg(std::max(left + width + kBarSpace, title), kHeadSpace + std::max(height, bar) + 8);
  svg.text({2, 16}, map.title, {.size = 13, .bold = true});
  draw_names(svg, map, origin, size);
  if (map.values.size() <= kMostCellsWithTips) {
    draw_named_cells(svg, map, origin, size);
  } else {
    draw_plain_cells(svg, map, origin, size);
  }
  draw_colour_bar(svg, {left + width + 16, kHeadSpace}, bar, map.range);
  return svg;
}

void draw_colour_bar(Svg& svg, Point top_left, double height, const ColourRange& range) {
  constexpr int kSteps = 32;
  for (int i = 0; i < kSteps; ++i) {
    const double value = range.high + (range.low - range.high) * i / (kSteps - 1);
    // A little overlap, or the steps show as stripes.
    svg.cell({top_left.x, top_left.y + i * height / kSteps, 10, height / kSteps + 0.4},
             range.colour(value).rgb, "");
  }
  const double middle = 0.5 * (range.low + range.high);
  for (const auto& [value, at] :
       {std::pair(range.high, 0.0), std::pair(middle, 0.5), std::pair(range.low, 1.0)}) {
    svg.text({top_left.x + 15, top_left.y + 4 + at * height}, short_number(value),
             {.paint = kMuted, .size = 10});
  }
}

}  // namespace rgu::report
