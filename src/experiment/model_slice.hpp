// Slices of the models of problem files: each process makes the part it works on.
#pragma once

#include <cstdint>

#include "rgu/experiment/config_model.hpp"
#include "rgu/mdp/world_slice.hpp"

namespace rgu {

// All three draw as make_instance does for the same [model] and seed, and throw as the generators
// and the readers of files do.

// make_instance(..).world.
World make_world(const ModelConfig& config, std::uint64_t seed);

// Of that world, without making it: a random grid is drawn, a .rgum file opened, another file read.
ModelSize model_size(const ModelConfig& config, std::uint64_t seed);

// slice_of(make_world(config, seed), own), bit for bit. Memory and time in proportion to the slice,
// plus O(S), with two exceptions: generator = "random" and files other than .rgum make or read the
// whole; Garnet without row_streams goes through all draws, and keeps its own.
WorldSlice make_slice(const ModelConfig& config, std::uint64_t seed, const StateRange& own);

}  // namespace rgu
