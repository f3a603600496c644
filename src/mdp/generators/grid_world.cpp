#include "rgu/mdp/generators/grid_world.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>

#include "rgu/base/check.hpp"
#include "rgu/mdp/generators/outcomes.hpp"

namespace rgu {
namespace {

constexpr Index kActions = 4;
constexpr std::string_view kMarks = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kCells = "#.SGHabcdefghijklmnopqrstuvwxyz";

struct Cell {
  Index row = 0;
  Index column = 0;
};

// north, east, south, west; the neighbours of a direction in this cycle are perpendicular to it
constexpr std::array<Cell, kActions> kSteps = {{{-1, 0}, {0, 1}, {1, 0}, {0, -1}}};

class GridMap {
 public:
  explicit GridMap(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      add_line(text.substr(0, end));
      text = end == text.npos ? std::string_view() : text.substr(end + 1);
    }
    check(!cells_.empty(), "grid map is empty, must have at least one cell");
  }

  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  Index size() const { return std::ssize(cells_); }
  char operator[](Index cell) const { return cells_[static_cast<std::size_t>(cell)]; }

  // Where a step from `cell` ends.
  Index after_step(Index cell, Index direction) const {
    const Cell step = kSteps[static_cast<std::size_t>(direction)];
    const Cell to{cell / columns_ + step.row, cell % columns_ + step.column};
    const bool inside = to.row >= 0 && to.row < rows_ && to.column >= 0 && to.column < columns_;
    const Index target = to.row * columns_ + to.column;
    return inside && (*this)[target] != '#' ? target : cell;
  }

 private:
  void add_line(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++rows_;
    if (rows_ == 1) columns_ = std::ssize(line);
    check(columns_ > 0 && std::ssize(line) == columns_,
          "grid map line {} has {} cells, must have as many as line 1, at least 1", rows_,
          line.size());
    const std::size_t wrong = line.find_first_not_of(kCells);
    check(wrong == line.npos, "grid map line {} column {} is '{}', must be one of #.SGH or a .. z",
          rows_, wrong + 1, wrong == line.npos ? ' ' : line[wrong]);
    cells_ += line;
  }

  std::string cells_;
  Index rows_ = 0;
  Index columns_ = 0;
};

GridLayout layout_of(const GridMap& map) {
  check(map.size() <= std::numeric_limits<std::int32_t>::max(),
        "grid map has {} cells, must have fewer than 2^31", map.size());
  GridLayout layout;
  layout.rows = static_cast<int>(map.rows());
  layout.columns = static_cast<int>(map.columns());
  for (Index cell = 0; cell < map.size(); ++cell) {
    if (map[cell] != '#') layout.cell_of_state.push_back(static_cast<int>(cell));
  }
  return layout;
}

std::vector<Outcome> outcomes_of(const GridMap& map, Index cell, Index action,
                                 const GridOptions& options) {
  if (map[cell] == 'G' && options.goals == GoalCells::kAbsorbing) return {{cell, 1.0}};
  return {{map.after_step(cell, action), 1.0 - options.slip},
          {map.after_step(cell, (action + 1) % kActions), options.slip / 2},
          {map.after_step(cell, (action + 3) % kActions), options.slip / 2}};
}

// The rows of the states `own`: (own * A, S).
SparseMatrix rows_of(const GridMap& map, const GridLayout& layout, const GridOptions& options,
                     const StateRange& own) {
  const Index states = std::ssize(layout.cell_of_state);
  check_kernel_size({.states = states,
                     .actions = kActions,
                     .entries = 3 * kActions * own.size(),
                     .own = own.size()});
  std::vector<Index> state_of_cell(static_cast<std::size_t>(map.size()), -1);
  for (Index s = 0; s < states; ++s) {
    state_of_cell[static_cast<std::size_t>(layout.cell_of_state[static_cast<std::size_t>(s)])] = s;
  }
  SparseMatrix rows(own.size() * kActions, states);
  rows.reserve(3 * kActions * own.size());
  for (Index row = 0; row < own.size() * kActions; ++row) {
    const Index state = own.first + row / kActions;
    const Index cell = layout.cell_of_state[static_cast<std::size_t>(state)];
    std::vector<Outcome> outcomes = outcomes_of(map, cell, row % kActions, options);
    for (Outcome& o : outcomes) o.next = state_of_cell[static_cast<std::size_t>(o.next)];
    append_row(rows, row, std::move(outcomes));
  }
  rows.finalize();
  return rows;
}

// (S): 1 in the cells that show `mark`.
Vector indicator(const GridMap& map, const GridLayout& layout, char mark) {
  Vector values = Vector::Zero(std::ssize(layout.cell_of_state));
  for (Index s = 0; s < values.size(); ++s) {
    values(s) = map[layout.cell_of_state[static_cast<std::size_t>(s)]] == mark ? 1.0 : 0.0;
  }
  return values;
}

// The signal of each letter on the map, of goals and of hazards: (own, A).
std::map<std::string, Matrix> signals_of(const GridMap& map, const GridLayout& layout,
                                         const StateRange& own) {
  const auto for_every_action = [&](const Vector& cells) -> Matrix {
    return cells.segment(own.first, own.size()).replicate(1, kActions);
  };
  std::map<std::string, Matrix> signals;
  for (const char mark : kMarks) {
    const Vector cells = indicator(map, layout, mark);
    if (cells.sum() > 0) signals[std::string(1, mark)] = for_every_action(cells);
  }
  const Matrix goal = for_every_action(indicator(map, layout, 'G'));
  const Matrix hazard = for_every_action(indicator(map, layout, 'H'));
  signals.insert({{"reward", goal}, {"goal", goal}, {"hazard", hazard}});
  return signals;
}

// A range of the states of a map; without one, all of them.
WorldSlice made_slice(const GridMap& map, const GridLayout& layout, const GridOptions& options,
                      const std::optional<StateRange>& range) {
  check(options.slip >= 0 && options.slip <= 1, "slip is {}, must be in [0, 1]", options.slip);
  const Index states = std::ssize(layout.cell_of_state);
  const StateRange own = range.value_or(StateRange{0, states});
  check_range(own, states);
  const Vector starts = indicator(map, layout, 'S');
  check(starts.sum() > 0, "grid map has no start cell 'S', must have at least one");
  return {.states = states,
          .actions = kActions,
          .discount = options.discount,
          .own = own,
          .rows = rows_of(map, layout, options, own),
          .start = starts.segment(own.first, own.size()) / starts.sum(),
          .signals = signals_of(map, layout, own)};
}

bool reaches_goal(const GridMap& map) {
  std::vector<bool> seen(static_cast<std::size_t>(map.size()));
  std::vector<Index> open = {0};
  seen[0] = true;
  while (!open.empty()) {
    const Index cell = open.back();
    open.pop_back();
    if (map[cell] == 'G') return true;
    for (Index direction = 0; direction < kActions; ++direction) {
      const Index next = map.after_step(cell, direction);
      if (seen[static_cast<std::size_t>(next)]) continue;
      seen[static_cast<std::size_t>(next)] = true;
      open.push_back(next);
    }
  }
  return false;
}

std::string draw_map(const RandomGridOptions& options, Rng& rng) {
  std::string map;
  for (Index row = 0; row < options.rows; ++row) {
    for (Index column = 0; column < options.columns; ++column) {
      const bool wall = rng.uniform() < options.wall_probability;
      const bool hazard = rng.uniform() < options.hazard_probability;
      map += wall ? '#' : hazard ? 'H' : '.';
    }
    map += '\n';
  }
  map.front() = 'S';
  map[map.size() - 2] = 'G';
  return map;
}

void check_probability(const char* name, double value) {
  check(value >= 0 && value < 1, "{} is {}, must be in [0, 1)", name, value);
}

}  // namespace

World grid_world(std::string_view map, const GridOptions& options) {
  const GridMap cells(map);
  GridLayout layout = layout_of(cells);
  World world = world_of(made_slice(cells, layout, options, std::nullopt));
  world.grid = std::move(layout);
  return world;
}

WorldSlice grid_world_slice(std::string_view map, const GridOptions& options,
                            const StateRange& own) {
  const GridMap cells(map);
  WorldSlice slice = made_slice(cells, layout_of(cells), options, own);
  check_slice(slice);
  return slice;
}

ModelSize grid_world_size(std::string_view map) {
  return {std::ssize(layout_of(GridMap(map)).cell_of_state), kActions};
}

std::string random_grid_map(const RandomGridOptions& options, Rng& rng) {
  constexpr int kDraws = 1000;
  check_count("number of rows", options.rows);
  check_count("number of columns", options.columns);
  constexpr Index kMostCells = std::numeric_limits<std::int32_t>::max();
  check(options.rows <= kMostCells / options.columns, "grid is {} x {}, must have at most {} cells",
        options.rows, options.columns, kMostCells);
  check(options.rows * options.columns >= 2, "grid is 1 x 1, must have at least two cells");
  check_probability("wall probability", options.wall_probability);
  check_probability("hazard probability", options.hazard_probability);
  for (int draw = 0; draw < kDraws; ++draw) {
    std::string map = draw_map(options, rng);
    if (reaches_goal(GridMap(map))) return map;
  }
  throw InvalidInput(fmt::format(
      "wall probability is {}, must be small enough that one of {} {} x {} maps has a way from "
      "start to goal",
      options.wall_probability, kDraws, options.rows, options.columns));
}

}  // namespace rgu
