// Do a model, a policy class and a utility speak of the same states and actions?
#pragma once

#include "rgu/mdp/finite_mdp.hpp"
#include "rgu/mdp/policy.hpp"
#include "rgu/utility/utility.hpp"

namespace rgu {

// Throws InvalidInput where they do not.
void check_parts(const FiniteMdp& mdp, const PolicyClass& policy, const Utility& utility);

}  // namespace rgu
