// The state of a solver as text, for checkpoints.
#pragma once

#include <string>
#include <string_view>

#include "rgu/solver/state.hpp"

namespace rgu {

// JSON. Every number reads back to the same bits. `seconds` is left out: it is the only part of a
// state that differs between two runs of the same thing. The average of the iterates and its step
// are there only if the solver keeps one.
std::string to_text(const SolverState& state);

// Throws InvalidInput on any other text.
SolverState parse_state(std::string_view text);

}  // namespace rgu
