// Utilities from the table [utility].
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rgu/base/rng.hpp"
#include "rgu/experiment/config_utility.hpp"
#include "rgu/mdp/world.hpp"
#include "rgu/utility/utility.hpp"

namespace rgu {

// xi as it is specified, and how it is made up.
struct Nature {
  Vector nominal;
  Index rows = 0;  // the shape for pictures; rows * columns entries
  Index columns = 1;
  std::vector<Nature> parts;  // of a sum, one after the other
};

struct MadeUtility {
  std::shared_ptr<const Utility> utility;
  Nature nature;
  std::string text;  // one line: formula and sizes
};

struct UtilityContext {
  const World& world;
  std::uint64_t seed;  // of demonstrations
  Rng& features;       // random features are drawn from it, in the order of the parts
};

// Throws InvalidInput on unknown signals, bad files and options that do not fit the world.
MadeUtility make_utility(const UtilityConfig& config, const UtilityContext& context);

}  // namespace rgu
