// Linear programs by the simplex method of Clp.
#pragma once

#include <optional>

#include "rgu/global/convex_program.hpp"

namespace rgu {

// An optimal vertex with its multipliers; empty where Clp finds none. The program must have no
// smooth terms.
std::optional<ProgramPoint> solve_by_simplex(const ConvexProgram& program);

}  // namespace rgu
