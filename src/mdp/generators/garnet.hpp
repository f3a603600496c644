// Garnet: generic average-reward non-stationary environment testbed, in its stationary form
// [Archibald1995; Bhatnagar2009, Sec. 8].
#pragma once

#include "rgu/base/rng.hpp"
#include "rgu/mdp/world_slice.hpp"

namespace rgu {

struct GarnetOptions {
  Index states = 100;
  Index actions = 4;
  Index branching = 5;  // successors of each state-action pair, 1 .. states
  double discount = 0.95;
  // Each state draws its rows and rewards from a stream of its own, so that a slice is made alone,
  // at a cost in proportion to the slice. Another model than without it.
  bool row_streams = false;
};

// Each pair (s, a) has `branching` distinct successors, uniformly drawn without replacement; their
// probabilities are the lengths of the pieces into which branching - 1 uniform points cut [0, 1].
// The start distribution is uniform. Signal "reward" (S, A): independent standard normal draws, as
// the expected rewards in [Bhatnagar2009].
//
// Sparse kernel of S * A * branching entries, in time O(branching log branching) a row and O(S)
// memory besides the kernel. Throws InvalidInput unless 1 <= branching <= states, A >= 1,
// 0 < discount < 1 and the kernel fits 32-bit indices.
World garnet(const GarnetOptions& options, Rng& rng);

// The slice of the same model, bit for bit. With row_streams only its own rows are drawn, and only
// they must fit 32-bit indices; without, the draws of all rows are gone through, and those of other
// states thrown away. O(S) memory besides the slice. Throws also on a range outside the states.
WorldSlice garnet_slice(const GarnetOptions& options, const StateRange& own, Rng& rng);

}  // namespace rgu
