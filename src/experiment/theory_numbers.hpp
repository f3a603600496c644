// The numbers that the convergence theorems are about, read off an instance.
#pragma once

#include <optional>

#include "rgu/experiment/instance.hpp"
#include "rgu/gradient/policy_gradient_scale.hpp"
#include "rgu/theory/constants.hpp"
#include "rgu/theory/descent_ascent.hpp"

namespace rgu {

// l_pi and L_pi by the class of policies; the constants of f over every |xi| <= norm_bound(Xi); the
// diameters of Theta and Xi; D_Lambda = sqrt 2.
ProblemNumbers problem_numbers(const Instance& instance, ConstantScale scale);

// The scale in which a solver sees its policy gradients.
ConstantScale constant_scale(PolicyGradientScale scale);

// Xi as the set of PGDA-lp: an l_p ball, a Frobenius ball (p = 2) or one point (radius 0); empty
// for every other.
std::optional<LpBallNumbers> lp_ball_numbers(const ConvexSet& ambiguity);

// Gamma(theta) - Gamma* in the scale of the numbers, whatever theta: at most l_theta D_Theta, and
// at most l_lambda D_Lambda (over 1 - g in the paper's scale). The smaller of the two.
double largest_excess(const ProblemNumbers& numbers);

}  // namespace rgu
