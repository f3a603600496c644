// What the convergence theorems know of a problem: a handful of numbers, and the constants that
// follow from them. Infinity means "no such bound exists" and carries through to every bound.
#pragma once

#include <limits>
#include <numbers>

#include "rgu/base/types.hpp"

namespace rgu {

// The paper's policy gradient is 1/(1-g) times the derivative, so its l_theta, L_thth and L_thxi
// are 1/(1-g) times, and its E_theta is 1/(1-g)^2 times, those of the derivative.
enum class ConstantScale { kDerivative, kPaper };

// f_xi(lambda_theta), theta in Theta (minimises), xi in Xi (maximises). The five constants of f are
// those of UtilityConstants.
struct ProblemNumbers {
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  double discount = 0;  // g, strictly between 0 and 1
  Index states = 0;     // S
  Index actions = 0;    // A

  double policy_lipschitz = kNone;     // l_pi: |grad log pi|; tabular softmax: sqrt 2
  double policy_smoothness = kNone;    // L_pi: grad log pi in theta; tabular softmax: 1/2
  double occupancy_gradient = kNone;   // l_lambda: |grad_lambda f|
  double occupancy_lipschitz = kNone;  // L_lambda: grad_lambda f in lambda
  double nature_gradient = kNone;      // l_xi: |grad_xi f|
  double nature_lipschitz = kNone;     // L_xi: grad_xi f in xi
  double cross_lipschitz = kNone;      // L_lambda,xi and L_xi,lambda

  double policy_diameter = kNone;                   // D_Theta
  double nature_diameter = kNone;                   // D_Xi; 0: Xi is one point
  double occupancy_diameter = std::numbers::sqrt2;  // D_Lambda; no two distributions are further

  bool convex_in_occupancy = false;  // for every xi
  bool concave_in_nature = false;    // for every lambda
  double strong_concavity = 0;       // mu, of f in xi; 0: none

  ConstantScale scale = ConstantScale::kDerivative;
};

// Throws InvalidInput unless 0 < g < 1, S, A >= 1, every constant and diameter is >= 0, mu is
// finite and >= 0, and, where mu > 0, f is concave in xi and mu <= L_xi (or Xi is one point). Every
// function of this folder that takes ProblemNumbers checks them so.
void check_problem_numbers(const ProblemNumbers& numbers);

// [RGU, Prop. theta_bound, lips-theta-xi, Gamma-smooth, Sec. pe-pgda]
struct SaddleConstants {
  double policy_gradient = 0;  // l_theta: |grad_theta f|
  double policy_policy = 0;    // L_thth: grad_theta f in theta
  double policy_nature = 0;    // L_thxi: grad_theta f in xi
  double nature_policy = 0;    // L_xith: grad_xi f in theta
  double nature_nature = 0;    // L_xixi: grad_xi f in xi
  // L_Gamma = L_thth + L_thxi L_xith / mu: the gradient of the envelope. Infinite at mu = 0, unless
  // nature has no say in grad_theta f (L_thxi = 0, or Xi is one point): then L_thth.
  double envelope = 0;
  double field = 0;  // L_F: spectral norm of [[L_thth, L_thxi], [L_xith, L_xixi]]
};
SaddleConstants saddle_constants(const ProblemNumbers& numbers);

// Sample sizes of one gradient estimate [RGU, Alg. stochastic_gradient].
struct SampleBudget {
  Index trajectories = 1;         // m
  Index horizon = 1;              // H
  Index policy_trajectories = 1;  // m'
  Index policy_horizon = 1;       // H'
};

// Mean squared errors of the sampled gradients [RGU, Prop. error_grad_estimate]. H_theta, which the
// paper does not define, is H'.
struct EstimationErrors {
  double policy = 0;  // E_theta
  double nature = 0;  // E_xi
};
// Throws InvalidInput unless every size is >= 1.
EstimationErrors estimation_errors(const ProblemNumbers& numbers, const SampleBudget& budget);

// E_theta + E_xi = C_m/m + C_H g^(2H) + C_m'/m' + C_H' (1 + H'(1-g))^2 g^(2H')
// [RGU, Lem. MC_decay]. Differs from the paper's C_H', which contains the factor with H'.
struct ErrorCoefficients {
  double trajectories = 0;         // C_m
  double horizon = 0;              // C_H
  double policy_trajectories = 0;  // C_m'
  double policy_horizon = 0;       // C_H'
};
ErrorCoefficients error_coefficients(const ProblemNumbers& numbers);

}  // namespace rgu
