// schedule = "theory" of [solver]: steps and counts by the theorem of the method.
#pragma once

#include "rgu/experiment/config.hpp"
#include "rgu/experiment/instance.hpp"

namespace rgu {

// Does the method take its steps from its theorem?
bool follows_theory(const SolverConfig& config);

// Counts beyond this are refused.
inline constexpr double kLargestCount = 1e9;

// The config with the method chosen where that is left to us (method_choice.hpp), and with what the
// theorem says in place of schedule = "theory".
//
// occupancy: the steps of occupancy_steps for K = stopping.iterations.
// pgda, pgda-lp, worst-case: eta = 1/L_Gamma and beta = 1/L_xi (1 where every step is admissible).
// prox-extragradient: sigma = 2 L_F, alpha = 1/(4 (L_F + sigma)), T_k by proximal_schedule; with
// sampled gradients also m_k, H_k, m'_k and H'_k. All in the scale of the policy gradient.
//
// Throws InvalidInput, beginning with "solver: ", where an assumption of the theorem fails so that
// there is no such number, where a count exceeds kLargestCount within stopping.iterations or the
// transitions sampled exceed an Index, and where counts of [gradient] that the theorem chooses are
// set as well.
ProblemConfig resolved(const ProblemConfig& config, const Instance& instance);

}  // namespace rgu
