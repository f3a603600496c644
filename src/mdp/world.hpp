// A model together with what its source knows about it: what generators make and files hold.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rgu/mdp/finite_mdp.hpp"

namespace rgu {

// Where the states of a grid world lie, for pictures.
struct GridLayout {
  int rows = 0;
  int columns = 0;
  std::vector<int> cell_of_state;  // state -> row * columns + column; walls have no state
};

struct World {
  FiniteMdp mdp;
  // Named functions of (state, action), each (S, A): "reward", "hazard", feature maps.
  std::map<std::string, Matrix> signals = {};
  std::optional<GridLayout> grid = std::nullopt;
};

}  // namespace rgu
