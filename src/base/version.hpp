// Which program this is, and what its last bits may depend on.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace rgu {

// "rgu 0.1.0, g++ 12.2.0, release".
std::string version_text();

// The widest vectors of this CPU: "AVX-512", "AVX2", "SSE2", or another architecture.
std::string widest_instructions();

// What two programs must have in common to give the same bits, each with a name: version, compiler,
// build, flags, sanitizers, instructions of the CPU, dense kernels, blas. All but the first five
// depend on the machine that this runs on.
using BuildFacts = std::vector<std::pair<std::string, std::string>>;
BuildFacts build_facts();

}  // namespace rgu
