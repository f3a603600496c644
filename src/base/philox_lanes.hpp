// Philox4x32-10 for many trajectories at once.
#pragma once

#include <cstdint>

#include "rgu/base/instruction_set.hpp"
#include "rgu/base/philox_rounds.hpp"
#include "rgu/base/rng.hpp"

namespace rgu {

inline constexpr int kPhiloxLanes = philox::kLanes;

// first[j], second[j] = the two words of streams.block(trajectory + j, counter), for every lane j.
void philox_lanes(const StreamFamily& streams, std::uint32_t trajectory, std::uint32_t counter,
                  std::uint64_t* first, std::uint64_t* second);

// The same, compiled for an instruction set, which must be one of this CPU. All give the same bits.
using PhiloxKernel = void (*)(const philox::Request& request, std::uint64_t* first,
                              std::uint64_t* second);
PhiloxKernel philox_kernel(InstructionSet set);

}  // namespace rgu
