#include "rgu/report/maps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rgu/report/selection.hpp"
#include "rgu/report/summary.hpp"
#include "rgu/report/svg_grid.hpp"
#include "rgu/report/svg_heat_map.hpp"
#include "rgu/report/svg_values.hpp"
#include "rgu/report/text.hpp"

namespace rgu::report {
namespace {

constexpr int kLargestGrid = 120;  // rows or columns; larger ones would be specks

bool is_drawn_on_grid(const WorldRecord& world) {
  return world.grid && world.grid->rows <= kLargestGrid && world.grid->columns <= kLargestGrid;
}

std::vector<std::string> names_of(const std::vector<Index>& kept,
                                  const std::vector<std::string>& names) {
  std::vector<std::string> result;
  result.reserve(kept.size());
  for (const Index i : kept) {
    result.push_back(names.empty() ? fmt::format("{}", i)
                                   : shortened(names[static_cast<std::size_t>(i)], 9));
  }
  return result;
}

std::string title_with_seed(std::string_view title, const SeedRecord& seed) {
  return fmt::format("{}, seed {}", title, seed.seed);
}

Panel policy_on_grid(const WorldRecord& world, const SeedRecord& seed) {
  GridMap map{.title = title_with_seed("State occupancy and policy", seed),
              .grid = *world.grid,
              .values = seed.occupancy.rowwise().sum(),
              .policy = {},
              .range = {}};
  map.range = sequential_range(map.values);
  map.range.low = std::min(map.range.low, 0.0);
  if (seed.policy.cols() == 4) map.policy = seed.policy;
  return {"policy", map.title + " on the grid", draw_grid(map)};
}

struct ActionTable {
  std::string name;
  std::string title;
  Matrix values;
};

Panel action_table(const WorldRecord& world, const SeedRecord& seed, const ActionTable& table,
                   const Selection& states, const Selection& actions) {
  HeatMap map{.title = title_with_seed(table.title, seed),
              .values = part_of(table.values, states.kept, actions.kept),
              .row_axis = "state",
              .column_axis = "action",
              .row_names = names_of(states.kept, {}),
              .column_names = names_of(actions.kept, world.action_names),
              .range = {}};
  if (table.name == "occupancy") {
    map.range = sequential_range(map.values);
    map.range.low = std::min(map.range.low, 0.0);
  }
  return {table.name, map.title + " by state and action", draw_heat_map(map)};
}

void add_sentence(Panels& panels, const std::string& sentence) {
  if (!sentence.empty()) panels.sentences.push_back(sentence);
}

void add_action_tables(Panels& panels, const WorldRecord& world, const SeedRecord& seed) {
  const bool visited = seed.occupancy.size() > 0;
  const Matrix& weights = visited ? seed.occupancy : seed.policy;
  const Selection states =
      greatest(weights.rowwise().sum(),
               {.things = "states", .property = visited ? "most visited" : "first"});
  const Selection actions =
      greatest(weights.colwise().sum().transpose(),
               {.most = 60, .shown = 40, .things = "actions", .property = "most used"});
  add_sentence(panels, states.sentence);
  add_sentence(panels, actions.sentence);
  if (seed.policy.size() > 0) {
    panels.panels.push_back(
        action_table(world, seed, {"policy", "Policy π(a|s)", seed.policy}, states, actions));
  }
  if (visited) {
    panels.panels.push_back(action_table(
        world, seed, {"occupancy", "Occupancy λ(s,a)", seed.occupancy}, states, actions));
  }
}

// The nominal xi, or nothing where it was not recorded.
struct Natures {
  Vector worst;
  Vector centre;

  bool has_centre() const { return centre.size() == worst.size(); }
};

struct NaturePart {
  std::string name;
  std::string title;
  Matrix values;
  ColourRange range;
};

// Worst, nominal, difference; the first two share their colours.
std::vector<NaturePart> nature_parts(const Natures& xi, Index rows, Index columns) {
  const Matrix worst = as_matrix(xi.worst, rows, columns);
  if (!xi.has_centre()) return {{"nature_worst", "Worst ξ", worst, sequential_range(worst)}};
  const Matrix centre = as_matrix(xi.centre, rows, columns);
  Matrix both(2 * rows, columns);
  both << worst, centre;
  const ColourRange range = sequential_range(both);
  const Matrix change = worst - centre;
  return {{"nature_worst", "Worst ξ", worst, range},
          {"nature_nominal", "Nominal ξ₀", centre, range},
          {"nature_change", "Change ξ − ξ₀", change, diverging_range(change)}};
}

void add_grid_natures(Panels& panels, const WorldRecord& world, Natures xi) {
  if (xi.worst.size() != world.states) {
    const auto sums = [&](const Vector& v) -> Vector {
      return as_matrix(v, world.states, world.actions).rowwise().sum();
    };
    xi = {sums(xi.worst), xi.has_centre() ? sums(xi.centre) : Vector()};
    panels.sentences.emplace_back("Each cell shows the sum of ξ over the actions of its state.");
  }
  for (NaturePart& part : nature_parts(xi, world.states, 1)) {
    const GridMap map{.title = part.title,
                      .grid = *world.grid,
                      .values = part.values.col(0),
                      .policy = {},
                      .range = part.range,
                      .extent = 230};
    panels.panels.push_back({part.name, part.title + " on the grid", draw_grid(map)});
  }
}

void add_vector_nature(Panels& panels, const Natures& xi) {
  const Vector change =
      xi.has_centre() ? Vector((xi.worst - xi.centre).cwiseAbs()) : Vector(xi.worst.cwiseAbs());
  const Selection entries =
      greatest(change, {.most = 40,
                        .shown = 40,
                        .things = "entries of ξ",
                        .property = xi.has_centre() ? "that change most" : "of the greatest size"});
  add_sentence(panels, entries.sentence);
  PairDrawing drawing{"Entries of ξ", "nominal ξ₀", "worst ξ", {}};
  for (const Index i : entries.kept) {
    drawing.pairs.push_back({.name = fmt::format("ξ[{}]", i),
                             .from = xi.has_centre() ? xi.centre(i) : std::nan(""),
                             .to = xi.worst(i),
                             .remark = number(xi.worst(i))});
  }
  panels.panels.push_back(
      {"nature", "The worst utility parameter against the nominal one", draw_pairs(drawing)});
}

void add_matrix_natures(Panels& panels, const WorldRecord& world, const Natures& xi) {
  const Matrix worst = as_matrix(xi.worst, world.nature_rows, world.nature_columns);
  Matrix change = worst.cwiseAbs();
  if (xi.has_centre()) {
    change = (worst - as_matrix(xi.centre, world.nature_rows, world.nature_columns)).cwiseAbs();
  }
  const Selection rows =
      greatest(change.rowwise().maxCoeff(),
               {.most = 120, .shown = 60, .things = "rows of ξ", .property = "that change most"});
  const Selection columns =
      greatest(change.colwise().maxCoeff().transpose(),
               {.most = 60, .shown = 40, .things = "columns of ξ", .property = "that change most"});
  add_sentence(panels, rows.sentence);
  add_sentence(panels, columns.sentence);
  const bool by_action = world.nature_rows == world.states && world.nature_columns == world.actions;
  for (NaturePart& part : nature_parts(xi, world.nature_rows, world.nature_columns)) {
    HeatMap map{.title = part.title,
                .values = part_of(part.values, rows.kept, columns.kept),
                .row_axis = by_action ? "state" : "row",
                .column_axis = by_action ? "action" : "column",
                .row_names = names_of(rows.kept, {}),
                .column_names = names_of(
                    columns.kept, by_action ? world.action_names : std::vector<std::string>()),
                .range = part.range};
    panels.panels.push_back({part.name, part.title + " as a matrix", draw_heat_map(map)});
  }
}

}  // namespace

Panels policy_panels(const RunRecord& run, const SeedRecord& seed) {
  const WorldRecord& world = world_of(run, seed);
  Panels panels;
  const bool on_grid = is_drawn_on_grid(world) && seed.occupancy.size() > 0;
  if (on_grid) {
    panels.panels.push_back(policy_on_grid(world, seed));
    if (world.actions == 4 && has_room_for_arrows(*world.grid)) {
      panels.sentences.emplace_back(
          "Arrows point where the policy goes; the longer, the more probable. Actions below 2% "
          "have "
          "none.");
      return panels;
    }
  }
  if (world.grid && !on_grid && seed.occupancy.size() > 0) {
    panels.sentences.push_back(fmt::format("The grid of {} × {} cells is too large to be drawn.",
                                           world.grid->rows, world.grid->columns));
  }
  if (world.states * world.actions > 0 && (seed.policy.size() > 0 || seed.occupancy.size() > 0)) {
    add_action_tables(panels, world, seed);
  }
  return panels;
}

Panels nature_panels(const RunRecord& run, const SeedRecord& seed) {
  const WorldRecord& world = world_of(run, seed);
  Panels panels;
  const Natures xi{seed.worst_case.nature, world.nature_centre};
  const Index n = xi.worst.size();
  if (n == 0) return panels;
  const bool by_state = n == world.states || n == world.states * world.actions;
  if (is_drawn_on_grid(world) && by_state) {
    add_grid_natures(panels, world, xi);
  } else if (world.nature_rows == 1 || world.nature_columns == 1) {
    add_vector_nature(panels, xi);
  } else {
    add_matrix_natures(panels, world, xi);
  }
  return panels;
}

Svg draw_price(const RunRecord& run) {
  PairDrawing drawing{"Nominal value and worst case", "nominal f₀", "worst case Γ", {}};
  for (const SeedRecord& seed : run.seeds) {
    drawing.pairs.push_back({.name = fmt::format("seed {}", seed.seed),
                             .from = seed.nominal,
                             .to = seed.worst_case.value,
                             .remark = number(seed.worst_case.value) + " " +
                                       std::string(name_of(seed.worst_case.kind))});
  }
  return draw_pairs(drawing);
}

}  // namespace rgu::report
