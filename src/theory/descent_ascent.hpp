// Steps and guarantees of projected gradient descent ascent: over policy parameters (PGDA, PGDA-lp)
// and over occupancies. A guarantee whose conditions fail is infinite.
#pragma once

#include "rgu/theory/constants.hpp"

namespace rgu {

struct DescentAscentSteps {
  double policy = 0;  // eta
  double nature = 0;  // beta
};

// The largest eta of the theorem, 1/L_Gamma [RGU, Thm. pgda_converge], and beta = 1/L_xi. The
// theorem leaves beta open and counts what the inner steps miss as delta_k; with 1/L_xi each of
// them brings the squared distance to the maximiser down to (1 - mu/L_xi) of it. 0: none is
// admissible; infinite: every one is.
DescentAscentSteps largest_pgda_steps(const ProblemNumbers& numbers);

struct DescentRun {
  double iterations = 1;   // K, a whole number >= 1
  double policy_step = 0;  // eta > 0
  // Gamma(theta_0) - Gamma*, >= 0. Where Gamma* is unknown: at most l_theta D_Theta.
  double initial_excess = 0;
  double policy_error = 0;  // E_theta; 0: exact gradients
};

// On the average of E|G_Gamma(theta_k)|^2 over k < K [RGU, Thm. pgda_converge]:
//   8 (Gamma(theta_0) - Gamma*)/(eta K) + 20 E_theta + 20 (L_thxi/mu)^2 mean(delta_k^2).
// Infinite where eta > 1/L_Gamma. Throws InvalidInput unless K is a whole number >= 1, eta is
// finite and > 0, and the other numbers are >= 0.
double pgda_bound(const ProblemNumbers& numbers, const DescentRun& run,
                  double mean_squared_residual);

// The set of PGDA-lp: an l_p ball.
struct LpBallNumbers {
  double p = 2;         // in [1, infinity]
  double radius = 0;    // r >= 0, finite
  Index dimension = 1;  // of xi
};

// c_p = dim^max(0, 1/2 - 1/p): the largest Euclidean norm in the unit ball. Throws InvalidInput
// unless p >= 1, 0 <= r < infinity and dim >= 1.
double euclidean_reach(const LpBallNumbers& ball);

// (L_xi/2) c_p^2 r^2: how far below the worst case the support point of the gradient at the centre
// may lie, for f concave in xi; infinite for others [RGU, Prop. lp_gap].
double lp_value_gap(const ProblemNumbers& numbers, const LpBallNumbers& ball);

// As pgda_bound, for PGDA-lp [RGU, Thm. pgda_lp_converge]: the last term is
//   20 L_thxi^2 (L_xi/mu) c_p^2 r^2.
// Differs from the theorem's text, which multiplies this by L_thxi^2/mu^2 once more: its proof
// bounds |xi_hat - xi*|^2 itself, not a residual delta_k, and needs neither. Like the theorem, it
// counts the sampling error of theta only and takes the gradient in xi as exact.
double pgda_lp_bound(const ProblemNumbers& numbers, const DescentRun& run,
                     const LpBallNumbers& ball);

// eta = D_Lambda/(l_lambda sqrt K), beta = D_Xi/(l_xi sqrt K) [RGU, Thm. tabular_pgda_gap_pgda].
// Infinite where the gradient is 0 and every step will do. Throws InvalidInput unless K is a whole
// number >= 1.
DescentAscentSteps occupancy_steps(const ProblemNumbers& numbers, double iterations);

// On the saddle gap of the averages after K iterations [RGU, Thm. tabular_pgda_gap_pgda]:
//   D_Lambda^2/(2 eta K) + D_Xi^2/(2 beta K) + (eta/2) l_lambda^2 + (beta/2) l_xi^2,
// which is (D_Lambda l_lambda + D_Xi l_xi)/sqrt K at occupancy_steps. Infinite unless f is convex
// in lambda and concave in xi (or Xi is one point). The proof takes the lambda step at the old xi,
// the paper's algorithm at the new one; with the new one the bound holds for the averages of
// lambda_0, .., lambda_{K-1} and xi_1, .., xi_K if beta <= 2/L_xi, and otherwise with beta l_xi^2
// more. Throws InvalidInput unless K is a whole number >= 1 and the steps are >= 0.
double occupancy_gap_bound(const ProblemNumbers& numbers, const DescentAscentSteps& steps,
                           double iterations);

}  // namespace rgu
