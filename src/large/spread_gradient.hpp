// Gradients of f_xi(lambda_theta) for both players on a spread model.
#pragma once

#include "rgu/large/spread_evaluation.hpp"
#include "rgu/large/spread_utility.hpp"

namespace rgu {

struct SpreadGradient {
  double value = 0;       // f
  Matrix occupancy = {};  // lambda, (own, A)
  // The derivative in the logits of pi, one for each own state and action:
  // lambda(s,a) (Q_c(s,a) - V_c(s)), c = grad_lambda f [RGU, Thm. gradient].
  Matrix policy = {};
  Vector nature = {};  // grad_xi f, as large and as divided as xi
};

// At the policy of the evaluation.
SpreadGradient spread_gradient(const SpreadEvaluation& evaluation, const SpreadUtility& utility,
                               const Vector& nature);

}  // namespace rgu
