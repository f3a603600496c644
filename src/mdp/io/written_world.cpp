#include "rgu/mdp/io/written_world.hpp"

#include <algorithm>

namespace rgu {

void check_signal(const FiniteMdp& mdp, const std::string& name, const Matrix& signal) {
  const std::string thing = fmt::format("signal \"{}\"", name);
  check_shape(thing, signal, {mdp.states(), mdp.actions()});
  check_finite(thing, signal);
}

void check_grid(const FiniteMdp& mdp, const GridLayout& grid) {
  check_count("grid rows", grid.rows);
  check_count("grid columns", grid.columns);
  check_size("grid cell_of_state", std::ssize(grid.cell_of_state), mdp.states());
  std::vector<int> cells = grid.cell_of_state;
  std::sort(cells.begin(), cells.end());
  const Index count = Index{grid.rows} * grid.columns;
  check(cells.front() >= 0 && cells.back() < count,
        "grid cell_of_state lies in {} .. {}, must lie in 0 .. {}", cells.front(), cells.back(),
        count - 1);
  const auto twice = std::adjacent_find(cells.begin(), cells.end());
  check(twice == cells.end(), "grid cell {} belongs to two states, must belong to at most one",
        twice == cells.end() ? 0 : *twice);
}

Matrix written_reward(const World& world, const WriteOptions& options) {
  if (options.reward.empty()) return Matrix::Zero(world.mdp.states(), world.mdp.actions());
  const auto signal = world.signals.find(options.reward);
  if (signal == world.signals.end()) {
    std::string names;
    for (const auto& [name, values] : world.signals) names += fmt::format(" \"{}\"", name);
    throw InvalidInput(
        fmt::format("the world has no signal \"{}\" to write as reward, must be empty or one of:{}",
                    options.reward, names.empty() ? " (it has none)" : names));
  }
  check_signal(world.mdp, options.reward, signal->second);
  return signal->second;
}

}  // namespace rgu
