#include "rgu/gradient/check_parts.hpp"

#include "rgu/base/check.hpp"

namespace rgu {

void check_parts(const FiniteMdp& mdp, const PolicyClass& policy, const Utility& utility) {
  check(utility.states() == mdp.states() && utility.actions() == mdp.actions(),
        "utility is over {} states and {} actions, the model has {} and {}", utility.states(),
        utility.actions(), mdp.states(), mdp.actions());
  const Matrix pi = policy.probabilities(Vector::Zero(policy.dimension()));
  check(pi.rows() == mdp.states() && pi.cols() == mdp.actions(),
        "policy is over {} states and {} actions, the model has {} and {}", pi.rows(), pi.cols(),
        mdp.states(), mdp.actions());
}

}  // namespace rgu
