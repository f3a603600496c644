// Discounted state-action occupancies, normalised to sum to 1:
//   lambda(s,a) = (1-g) sum_t g^t Pr(s_t = s, a_t = a).
#pragma once

#include "rgu/mdp/finite_mdp.hpp"
#include "rgu/mdp/policy_evaluation.hpp"

namespace rgu {

// The occupancy of pi, exact up to rounding (dense) or to the residual of the options (sparse).
Matrix occupancy(const FiniteMdp& mdp, const Matrix& pi, EvaluationOptions options = {});

// The first `horizon` terms of the sum: what a sampled occupancy estimates. Sums to 1 - g^horizon.
Matrix truncated_occupancy(const FiniteMdp& mdp, const Matrix& pi, Index horizon);

// pi(a|s) = lambda(s,a) / sum_a lambda(s,a); uniform where a state has no mass. Throws InvalidInput
// on a negative or non-finite entry.
Matrix policy_from_occupancy(const Matrix& occupancy);

// max over s' of |sum_a lambda(s',a) - (1-g) rho(s') - g sum_{s,a} P(s'|s,a) lambda(s,a)|, and of
// the negative parts of lambda: zero exactly on the occupancy polytope.
double flow_residual(const FiniteMdp& mdp, const Matrix& occupancy);

}  // namespace rgu
