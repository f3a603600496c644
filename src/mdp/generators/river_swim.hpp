// RiverSwim: a chain where the large reward lies against the current [Strehl2008].
#pragma once

#include "rgu/mdp/world_slice.hpp"

namespace rgu {

// The defaults are the published ones; the discount is ours.
struct RiverSwimOptions {
  Index states = 6;             // at least 3
  double small_reward = 5;      // at the source, for drifting left
  double large_reward = 10000;  // at the mouth, for not being driven back
  double discount = 0.95;
};

// States 0 .. n - 1 from left to right, actions 0 = left, 1 = right. Left always moves one state
// left (state 0 stays). Right, against the current:
//   state 0:            0.7 stays, 0.3 one right;
//   states 1 .. n - 2:  0.1 one left, 0.6 stays, 0.3 one right;
//   state n - 1:        0.7 one left, 0.3 stays.
// The start is state 1 or 2, each with probability 1/2. Signal "reward": small_reward for left in
// state 0; large_reward on the transition of right that stays in state n - 1, so 0.3 large_reward
// in expectation; 0 elsewhere. Sparse kernel. Throws InvalidInput unless n >= 3, 0 < discount < 1
// and the rewards are finite.
World river_swim(const RiverSwimOptions& options = {});

// The slice of the same model, bit for bit, made alone. Throws also on a range outside the states.
WorldSlice river_swim_slice(const RiverSwimOptions& options, const StateRange& own);

}  // namespace rgu
