#include "rgu/experiment/instance_model.hpp"

#include <fmt/ranges.h>

#include "rgu/base/check.hpp"
#include "rgu/base/nearest_name.hpp"
#include "rgu/mdp/io/world_file.hpp"

namespace rgu {
namespace {

const std::vector<std::string> kDirections = {"north", "east", "south", "west"};

std::string without_last_break(std::string map) {
  while (map.ends_with('\n') || map.ends_with('\r')) map.pop_back();
  return map;
}

bool is_marked(const World& world, const char* signal, Index state) {
  const auto found = world.signals.find(signal);
  return found != world.signals.end() && found->second.row(state).maxCoeff() > 0;
}

// The map of a grid world that comes without one.
std::string drawn_map(const World& world) {
  const GridLayout& grid = *world.grid;
  std::string cells(static_cast<std::size_t>(grid.rows) * static_cast<std::size_t>(grid.columns),
                    '#');
  for (Index s = 0; s < world.mdp.states(); ++s) {
    char& cell = cells[static_cast<std::size_t>(grid.cell_of_state[static_cast<std::size_t>(s)])];
    cell = is_marked(world, "goal", s)     ? 'G'
           : is_marked(world, "hazard", s) ? 'H'
           : world.mdp.start()(s) > 0      ? 'S'
                                           : '.';
  }
  for (int row = grid.rows - 1; row > 0; --row) {
    cells.insert(static_cast<std::size_t>(row) * static_cast<std::size_t>(grid.columns), 1, '\n');
  }
  return cells;
}

MadeModel made(const RandomModelOptions& options, Rng& rng) {
  return {random_model(options, rng), "", {}};
}

MadeModel made(const GarnetOptions& options, Rng& rng) { return {garnet(options, rng), "", {}}; }

MadeModel made(const GridConfig& config, Rng&) {
  return {grid_world(config.map, config.options), without_last_break(config.map), kDirections};
}

MadeModel made(const RandomGridConfig& config, Rng& rng) {
  return made(GridConfig{random_grid_map(config.cells, rng), config.options}, rng);
}

MadeModel made(const RiverSwimOptions& options, Rng&) {
  return {river_swim(options), "", {"left", "right"}};
}

MadeModel made(const InventoryOptions& options, Rng&) {
  MadeModel model{inventory(options), "", {}};
  for (Index a = 0; a < model.world.mdp.actions(); ++a) {
    model.action_names.push_back(fmt::format("order {}", a));
  }
  return model;
}

MadeModel made(const WorldFileConfig& config, Rng&) {
  MadeModel model{read_world(config.file, read_options(config)), "", {}};
  if (!model.world.grid) return model;
  model.map = drawn_map(model.world);
  if (model.world.mdp.actions() == std::ssize(kDirections)) model.action_names = kDirections;
  return model;
}

}  // namespace

MadeModel make_model(const ModelConfig& config, Rng& rng) {
  return std::visit([&](const auto& source) { return made(source, rng); }, config.source);
}

ReadOptions read_options(const WorldFileConfig& config) {
  return {.discount = config.discount,
          .missing_actions = config.missing_actions,
          .dead_states = config.dead_states};
}

const Matrix& signal_named(const World& world, const std::string& name) {
  const auto found = world.signals.find(name);
  if (found != world.signals.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, values] : world.signals) names.push_back(known);
  check(!names.empty(), "no signal '{}': the world has no signals", name);
  throw InvalidInput(fmt::format("no signal '{}' in the world, which has {}{}", name,
                                 fmt::join(names, ", "), did_you_mean(name, names)));
}

}  // namespace rgu
