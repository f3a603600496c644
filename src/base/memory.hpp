// How much memory there is to be had.
#pragma once

#include <cstdint>

namespace rgu {

// Bytes that this process can still take: what the machine has left, swap included, but no more
// than the limit on its address space (ulimit -v) and those of its control groups leave. The
// largest number where the system says nothing.
std::uint64_t available_memory();

}  // namespace rgu
