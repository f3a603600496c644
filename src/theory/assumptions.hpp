// Which conditions of the convergence theorems a problem and its steps meet, each with a reason in
// a sentence.
#pragma once

#include <string>
#include <vector>

#include "rgu/theory/constants.hpp"
#include "rgu/theory/proximal.hpp"

namespace rgu {

enum class Theorem {
  kPgda,               // [RGU, Thm. pgda_converge]
  kPgdaLp,             // [RGU, Thm. pgda_lp_converge]
  kProxExtragradient,  // [RGU, Thm. nonconcave-convergence]
  kOccupancyPgda       // [RGU, Thm. tabular_pgda_gap_pgda]
};

// kUnknown: no number can tell.
enum class AssumptionState { kHolds, kFails, kUnknown };

struct AssumptionCheck {
  std::string name;  // "Lipschitz in the occupancy"
  AssumptionState state = AssumptionState::kUnknown;
  std::string reason;  // "L_lambda is infinite: .."

  bool holds() const { return state == AssumptionState::kHolds; }
};

// What the theorem asks of the problem. Of occupancy PGDA only what its proof uses: bounded
// gradients, and concavity instead of strong concavity. The prox-extragradient theorem calls f "not
// concave" in xi; its proof does not mind a concave one, so nothing is asked.
std::vector<AssumptionCheck> assumptions(Theorem theorem, const ProblemNumbers& numbers);

// eta <= 1/L_Gamma: PGDA and PGDA-lp. Throws InvalidInput unless eta is finite and > 0.
AssumptionCheck pgda_step_check(const ProblemNumbers& numbers, double policy_step);

// sigma > L_F; alpha <= 1/(4 (L_F + sigma)). Throws InvalidInput unless both are finite and > 0.
std::vector<AssumptionCheck> proximal_checks(const ProblemNumbers& numbers,
                                             const ProximalSettings& settings);

}  // namespace rgu
