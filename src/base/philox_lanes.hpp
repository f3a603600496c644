// Philox4x32-10 for many trajectories at once, with the widest vectors the CPU has.
#pragma once

#include <cstdint>

#include "rgu/base/philox_rounds.hpp"
#include "rgu/base/rng.hpp"

namespace rgu {

inline constexpr int kPhiloxLanes = philox::kLanes;

// first[j], second[j] = the two words of streams.block(trajectory + j, counter), for every lane j.
void philox_lanes(const StreamFamily& streams, std::uint32_t trajectory, std::uint32_t counter,
                  std::uint64_t* first, std::uint64_t* second);

}  // namespace rgu
