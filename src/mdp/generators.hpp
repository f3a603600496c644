// Models made by rule or by chance. Each is a free function from an options struct, and an Rng
// where there is chance, to a World. Equal options and equal Rng give equal worlds.
#pragma once

#include "rgu/mdp/generators/garnet.hpp"
#include "rgu/mdp/generators/grid_world.hpp"
#include "rgu/mdp/generators/inventory.hpp"
#include "rgu/mdp/generators/random_model.hpp"
#include "rgu/mdp/generators/river_swim.hpp"
