// The part of a model that some policy visits.
#pragma once

#include <vector>

#include "rgu/mdp/finite_mdp.hpp"

namespace rgu {

// The states that some policy visits, ascending.
std::vector<Index> reachable_states(const FiniteMdp& mdp);

// The model on those states alone, of the same kind of kernel; `states` must be the reachable ones.
FiniteMdp restricted_model(const FiniteMdp& mdp, const std::vector<Index>& states);

}  // namespace rgu
