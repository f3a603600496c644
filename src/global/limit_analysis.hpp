// Whether the limits of a constrained problem can be kept, and which multipliers it takes.
#pragma once

#include <optional>

#include "rgu/global/envelope_model.hpp"
#include "rgu/robustness/feasibility.hpp"

namespace rgu {

// A proof that no policy keeps all limits [Farkas1902]: on Lambda,
// sum_k y_k (<c_k, lambda> - tau_k) >= excess > 0.
struct Infeasibility {
  Vector combination;  // y: (K), >= 0, sum 1
  double excess = 0;
  Vector potential;  // V: (S), the witness, as in Witness
};

// The proof, if no policy keeps the limits; empty where one does, or where neither is proven. A
// limit may be what a policy costs, up to rounding: excesses below rounding_share of the costs and
// limits, or 1e-8 of them, are none.
std::optional<Infeasibility> prove_infeasible(const FiniteMdp& mdp, const Limits& limits);

// The xi of a saddle point when the multipliers of constraints may be as large as they must: the
// limits then hold. Empty where the problem cannot be written out (envelope_program.hpp).
std::optional<Vector> unbounded_multipliers(const EnvelopeProblem& problem);

}  // namespace rgu
