// Are two worlds the same, number for number? Entries of probability 0 do not count: no format but
// ours keeps them.
#pragma once

#include "rgu/mdp/world.hpp"

namespace rgu::fuzz {

bool same_world(const World& x, const World& y);

}  // namespace rgu::fuzz
