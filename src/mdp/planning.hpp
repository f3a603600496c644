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
  // (S): `value` less the same number in every state. At discounts near 1, where values as large as
  // cost / (1-g) drown their own differences in rounding, only these are accurate.
  Vector relative;
  // min over s of min_a (cost + g P relative)(s,a) - relative(s). The expected cost of no policy,
  // times 1 - g, is below (1-g) <rho, relative> + shortfall.
  double shortfall = 0;
  int iterations = 0;
};

// The policy of least expected discounted cost, by policy iteration [Puterman1994, Sec. 6.4].
// cost: (S, A), finite. An action changes only for an improvement above rounding, so it ends. At
// discounts within 1e-5 of 1 actions are compared by relative values.
Plan optimal_plan(const FiniteMdp& mdp, const Matrix& cost, EvaluationOptions options = {});

struct ModifiedPlanOptions {
  double tolerance = 1e-10;  // > 0: of (highest - lowest), relative to the largest |cost|
  Index sweeps = 10;         // >= 0: evaluations of the greedy policy between two improvements
  Index iterations = 10000;  // >= 1: the most improvements
  Vector start = {};         // (S): a guess of the values; empty: 0
};

// Values that are optimal up to a constant shift, and how much that shift may be: the optimal value
// lies between value + lowest / (1-g) and value + highest / (1-g), in every state.
struct ModifiedPlan {
  std::vector<Index> action;  // (S): greedy for `value`
  Vector value;               // (S)
  double lowest = 0;          // min over s of min_a Q(s,a) - V(s)
  double highest = 0;         // max over s of it
  Index iterations = 0;
};

// Modified policy iteration [PutermanShin1978] with the bounds of [MacQueen1966]: it stops on the
// span of the Bellman residual, which on models that mix falls much faster than g^n. Memory and
// time of a sweep are linear in the transitions. Stops short where twenty improvements do not
// bring the span down by a thousandth (rounding, or a model that hardly mixes), or the iterations
// end: the bounds say so. Throws InvalidInput as optimal_plan does.
ModifiedPlan modified_policy_iteration(const FiniteMdp& mdp, const Matrix& cost,
                                       const ModifiedPlanOptions& options = {});

// A deterministic policy as (S, A) probabilities.
Matrix deterministic_policy(const std::vector<Index>& action, Index actions);
// Every action alike in every state, (S, A).
Matrix uniform_policy(Index states, Index actions);

}  // namespace rgu
