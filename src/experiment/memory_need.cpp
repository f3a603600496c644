#include "rgu/experiment/memory_need.hpp"

#include <algorithm>
#include <system_error>

#include "rgu/base/check.hpp"
#include "rgu/base/memory.hpp"
#include "rgu/mdp/io/binary_file.hpp"

namespace rgu {
namespace {

constexpr double kNumber = 8;        // bytes of a double, and of a cell of an alias table
constexpr double kSparseEntry = 12;  // a double and a column
constexpr double kColumn = 4;
constexpr double kModelTables = 1;   // (S, A): the reward, where there is one
constexpr double kSolverTables = 8;  // (S, A): theta and pi, occupancy, gradients, iterates
constexpr double kSuccessorsOnGrid = 3;
constexpr double kDirections = 4;
// Less is not looked for: it is there, and looking takes longer than making the model.
constexpr double kSmall = 1 << 24;

MemoryNeed sparse(double states, double actions, double transitions) {
  const double pairs = states * actions;
  return {.states = states,
          .actions = actions,
          .transitions = transitions,
          .bytes = kSparseEntry * transitions + kColumn * pairs +
                   kNumber * (kModelTables * pairs + states)};
}

MemoryNeed need_of(const RandomModelOptions& options) {
  const auto states = static_cast<double>(options.states);
  const auto actions = static_cast<double>(options.actions);
  const double transitions = states * states * actions;
  return {.states = states,
          .actions = actions,
          .transitions = transitions,
          .bytes = kNumber * (transitions + states)};
}

MemoryNeed need_of(const GarnetOptions& options) {
  const auto states = static_cast<double>(options.states);
  const auto actions = static_cast<double>(options.actions);
  return sparse(states, actions, states * actions * static_cast<double>(options.branching));
}

MemoryNeed on_grid(double cells) {
  return sparse(cells, kDirections, kSuccessorsOnGrid * kDirections * cells);
}

MemoryNeed need_of(const GridConfig& config) {
  const auto is_cell = [](char c) { return c != '\n' && c != '\r' && c != '#'; };
  return on_grid(static_cast<double>(std::count_if(config.map.begin(), config.map.end(), is_cell)));
}

MemoryNeed need_of(const RandomGridConfig& config) {
  return on_grid(static_cast<double>(config.cells.rows) *
                 static_cast<double>(config.cells.columns) * (1 - config.cells.wall_probability));
}

MemoryNeed need_of(const RiverSwimOptions& options) {
  const auto states = static_cast<double>(options.states);
  return sparse(states, 2, 4 * states);  // one to the left, up to three to the right
}

// The stock y after an order has min(y, largest_demand) + 1 successors; on average over states at
// least half of what the fullest shop has.
MemoryNeed need_of(const InventoryOptions& options) {
  const auto capacity = static_cast<double>(options.capacity);
  const double states = capacity + 1;
  const double actions = static_cast<double>(options.largest_order.value_or(options.capacity)) + 1;
  const double successors = std::min(capacity, static_cast<double>(options.largest_demand)) / 2 + 1;
  return sparse(states, actions, states * actions * successors);
}

// A .rgum file is as large as the model that it holds; other files must be read to know.
MemoryNeed need_of(const WorldFileConfig& config) {
  if (config.file.extension() != ".rgum") return {};
  std::error_code error;
  const auto bytes = std::filesystem::file_size(config.file, error);
  if (error) return {};  // for the reader to say
  const ModelSize size = binary_size(config.file);
  return {.states = static_cast<double>(size.states),
          .actions = static_cast<double>(size.actions),
          .transitions = static_cast<double>(bytes) / kSparseEntry,
          .bytes = static_cast<double>(bytes)};
}

bool is_dense(const ModelConfig& model) {
  return std::holds_alternative<RandomModelOptions>(model.source);
}

}  // namespace

MemoryNeed memory_need(const ModelConfig& model) {
  return std::visit([](const auto& source) { return need_of(source); }, model.source);
}

MemoryNeed memory_need(const ProblemConfig& config) {
  MemoryNeed need = memory_need(config.model);
  if (need.bytes == 0) return need;
  const double pairs = need.states * need.actions;
  need.bytes += kNumber * kSolverTables * pairs;
  const bool dense = is_dense(config.model);
  if (dense) need.bytes += 2 * kNumber * need.states * need.states;  // factors, and transposed
  if (config.gradient.kind == GradientKind::kSampled) {
    need.bytes += kNumber * need.transitions;
    if (!dense) need.bytes += kColumn * need.transitions + kNumber * pairs;
  }
  return need;
}

void check_memory(const MemoryNeed& need) {
  if (need.bytes < kSmall) return;
  const auto available = static_cast<double>(available_memory());
  check(need.bytes <= available,
        "a model of {:.6g} states, {:.6g} actions and {:.3g} transitions needs about {:.2g} bytes, "
        "{:.2g} are available; take a smaller one, or spread it over machines ('rgu large')",
        need.states, need.actions, need.transitions, need.bytes, available);
}

}  // namespace rgu
