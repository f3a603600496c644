#include "rgu/report/svg_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "rgu/report/text.hpp"

namespace rgu::report {
namespace {

constexpr double kTop = 30;
constexpr double kLeast = 0.02;  // probabilities below this get no arrow

double cell_side(const GridRecord& grid, double extent) {
  return std::clamp(extent / std::max(grid.rows, grid.columns), 3.0, 44.0);
}

std::string mark_name(char mark) {
  switch (mark) {
    case 'S':
      return "S start";
    case 'G':
      return "G goal";
    case 'H':
      return "H hazard";
    default:
      return "";
  }
}

bool is_lettered(char mark) { return mark != '.' && mark != '#' && mark != ' '; }

// The legend under the map; walls are named only where there are any.
std::string legend_of(const GridRecord& grid) {
  std::string text;
  for (const char mark : std::set<char>(grid.marks.begin(), grid.marks.end())) {
    const std::string name = mark_name(mark);
    if (!name.empty()) text += (text.empty() ? "" : "  ·  ") + name;
  }
  const std::set<int> used(grid.cell_of_state.begin(), grid.cell_of_state.end());
  if (used.size() < static_cast<std::size_t>(grid.rows) * static_cast<std::size_t>(grid.columns)) {
    text += (text.empty() ? "" : "  ·  ") + std::string("grey: wall");
  }
  return text;
}

void draw_arrows(Svg& svg, const Box& box, const Matrix& policy, Index state,
                 std::string_view rgb) {
  constexpr std::array<Point, 4> kWays = {{{0, -1}, {1, 0}, {0, 1}, {-1, 0}}};
  const Point centre = {box.x + box.width / 2, box.y + box.height / 2};
  for (std::size_t a = 0; a < kWays.size(); ++a) {
    const double p = policy(state, static_cast<Index>(a));
    if (!(p >= kLeast)) continue;
    const double length = (0.12 + 0.34 * std::min(p, 1.0)) * box.width;
    svg.arrow(centre, {centre.x + length * kWays[a].x, centre.y + length * kWays[a].y}, rgb,
              0.35 + 0.65 * std::min(p, 1.0));
  }
}

std::string tip_of(const GridMap& map, Index state) {
  const int cell = map.grid.cell_of_state[static_cast<std::size_t>(state)];
  std::string tip = fmt::format("state {}, row {}, column {}: {}", state, cell / map.grid.columns,
                                cell % map.grid.columns, number(map.values(state)));
  if (map.policy) {
    constexpr std::array<std::string_view, 4> kNames = {"north", "east", "south", "west"};
    for (Index a = 0; a < 4; ++a) {
      tip += fmt::format("\n{} {}", kNames[static_cast<std::size_t>(a)],
                         number((*map.policy)(state, a)));
    }
  }
  return tip;
}

Box box_of(const GridMap& map, Index state, double side) {
  const int cell = map.grid.cell_of_state[static_cast<std::size_t>(state)];
  const int row = cell / map.grid.columns;
  const int column = cell % map.grid.columns;
  return {2 + side * column, kTop + side * row, side, side};
}

void draw_many_states(Svg& svg, const GridMap& map, double side) {
  std::vector<Tile> tiles;
  for (Index s = 0; s < map.values.size(); ++s) {
    tiles.push_back({box_of(map, s, side), map.range.colour(map.values(s)).rgb});
  }
  svg.tiles(tiles);
}

void draw_state(Svg& svg, const GridMap& map, Index state, double side) {
  const int cell = map.grid.cell_of_state[static_cast<std::size_t>(state)];
  const Box box = box_of(map, state, side);
  const double gap = side > 12 ? 1 : 0;
  const MapColour colour = map.range.colour(map.values(state));
  const std::string_view ink = colour.dark ? "#ffffff" : "#000000";
  svg.cell({box.x, box.y, side - gap, side - gap}, colour.rgb, tip_of(map, state));
  if (map.policy && side >= 16) draw_arrows(svg, box, *map.policy, state, ink);
  if (map.grid.marks.empty() || side < 12) return;
  const char mark = map.grid.marks[static_cast<std::size_t>(cell)];
  if (!is_lettered(mark)) return;
  const Paint paint = colour.dark ? Paint{"on-dark", "#ffffff"} : Paint{"on-light", "#000000"};
  const double size = std::min(11.0, 0.4 * side);
  svg.text({box.x + 3, box.y + size + 0.5}, std::string_view(&mark, 1),
           {.paint = paint, .size = size, .bold = true});
}

}  // namespace

bool has_room_for_arrows(const GridRecord& grid) { return cell_side(grid, 320) >= 16; }

Svg draw_grid(const GridMap& map) {
  const double side = cell_side(map.grid, map.extent);
  const double width = side * map.grid.columns;
  const double height = side * map.grid.rows;
  const std::string legend = legend_of(map.grid);
  const double bar = std::clamp(height, 70.0, 160.0);
  const double words = 4 + std::max(text_width(map.title, 13), text_width(legend, 11));
  Svg svg(std::max(width + 92, words), kTop + std::max(height, bar) + 26);
  svg.text({2, 16}, map.title, {.size = 13, .bold = true});
  svg.box({2, kTop, width, height}, kWall);
  if (map.values.size() > kMostCellsWithTips) {
    draw_many_states(svg, map, side);
  } else {
    for (Index s = 0; s < map.values.size(); ++s) draw_state(svg, map, s, side);
  }
  draw_colour_bar(svg, {width + 18, kTop + 2}, bar, map.range);
  svg.text({2, kTop + std::max(height, bar) + 18}, legend, {.paint = kMuted, .size = 11});
  return svg;
}

}  // namespace rgu::report
