// The tables [model] and [policy] of a problem file, as plain data.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "rgu/mdp/generators.hpp"
#include "rgu/mdp/io/file_options.hpp"

namespace rgu {

struct GridConfig {
  std::string map;
  GridOptions options;
};

struct RandomGridConfig {
  RandomGridOptions cells;
  GridOptions options;
};

struct WorldFileConfig {
  std::filesystem::path file;  // absolute
  std::optional<double> discount;
  MissingActions missing_actions = MissingActions::kError;
  DeadStates dead_states = DeadStates::kError;
};

struct ModelConfig {
  std::variant<RandomModelOptions, GarnetOptions, GridConfig, RandomGridConfig, RiverSwimOptions,
               InventoryOptions, WorldFileConfig>
      source;
  // Empty: each seed of the problem draws its own model, features and demonstrations.
  std::optional<std::uint64_t> seed;
};

struct TabularConfig {};

// Either `features` standard normal ones for each state-action pair, or named signals.
struct LogLinearConfig {
  std::optional<Index> features;
  std::vector<std::string> signals;
};

enum class ParameterSet { kBox, kBall };
enum class ParameterStart { kZero, kNormal };

struct PolicyConfig {
  std::variant<TabularConfig, LogLinearConfig> parameterization;
  ParameterSet set = ParameterSet::kBox;
  double bound = 10;  // box [-bound, bound], or ball of that radius
  ParameterStart start = ParameterStart::kZero;
  double start_scale = 1;  // standard deviation of a normal start
};

}  // namespace rgu
