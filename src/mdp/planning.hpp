// Optimal control of a known model.
#pragma once

#include <vector>

#include "rgu/mdp/finite_mdp.hpp"
#include "rgu/mdp/policy_evaluation.hpp"

namespace rgu {

struct Plan {
  std::vector<Index> action;  // (S): an optimal deterministic policy
  Vector value;               // (S): its value, the least expected sum_t g^t cost
  // max over s of V(s) - min_a Q(s,a): V is within residual / (1-g) of the optimal value.
  double residual = 0;
  int iterations = 0;
};

// The policy of least expected discounted cost, by policy iteration [Puterman1994, Sec. 6.4].
// cost: (S, A), finite. An action changes only for an improvement above rounding, so it ends.
Plan optimal_plan(const FiniteMdp& mdp, const Matrix& cost, EvaluationOptions options = {});

// A deterministic policy as (S, A) probabilities.
Matrix deterministic_policy(const std::vector<Index>& action, Index actions);

}  // namespace rgu
