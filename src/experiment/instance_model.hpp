// Models from the table [model].
#pragma once

#include <string>
#include <vector>

#include "rgu/base/rng.hpp"
#include "rgu/experiment/config_model.hpp"
#include "rgu/mdp/world.hpp"

namespace rgu {

struct MadeModel {
  World world;
  std::string map;                        // of a grid world, else empty
  std::vector<std::string> action_names;  // (A), or empty
};

// Throws InvalidInput as the generators and the readers of files do.
MadeModel make_model(const ModelConfig& config, Rng& rng);

// What the table says about reading its file.
ReadOptions read_options(const WorldFileConfig& config);

// The signal of that name, (S, A). Throws InvalidInput, with the names that there are, otherwise.
const Matrix& signal_named(const World& world, const std::string& name);

}  // namespace rgu
