#include "rgu/mdp/planning.hpp"

#include <algorithm>
#include <limits>

#include "rgu/base/check.hpp"

namespace rgu {

Plan optimal_plan(const FiniteMdp& mdp, const Matrix& cost, EvaluationOptions options) {
  check_shape("cost", cost, {mdp.states(), mdp.actions()});
  check_finite("cost", cost);
  Plan plan;
  plan.action.resize(static_cast<std::size_t>(mdp.states()));
  for (Index s = 0; s < mdp.states(); ++s) cost.row(s).minCoeff(&plan.action[s]);

  // Values carry an error of about solve / (1-g): smaller gains are not gains.
  const double scale = cost.cwiseAbs().maxCoeff() / (1.0 - mdp.discount());
  const double solve =
      mdp.is_sparse() ? options.residual : 64 * std::numeric_limits<double>::epsilon();
  const double least_gain = scale * solve;
  for (bool changed = true; changed;) {
    const PolicyEvaluation evaluation(mdp, deterministic_policy(plan.action, mdp.actions()),
                                      options);
    plan.value = evaluation.value(cost);
    const Matrix q = cost + mdp.discount() * mdp.expected_next(plan.value);
    plan.residual = 0;
    changed = false;
    for (Index s = 0; s < mdp.states(); ++s) {
      Index best = 0;
      const double gain = plan.value(s) - q.row(s).minCoeff(&best);
      plan.residual = std::max(plan.residual, gain);
      if (best != plan.action[s] && q(s, plan.action[s]) - q(s, best) > least_gain) {
        plan.action[s] = best;
        changed = true;
      }
    }
    ++plan.iterations;
  }
  return plan;
}

Matrix deterministic_policy(const std::vector<Index>& action, Index actions) {
  Matrix pi = Matrix::Zero(static_cast<Index>(action.size()), actions);
  for (Index s = 0; s < pi.rows(); ++s) {
    check(action[s] >= 0 && action[s] < actions, "action of s={} is {}, must lie in 0 .. {}", s,
          action[s], actions - 1);
    pi(s, action[s]) = 1.0;
  }
  return pi;
}

}  // namespace rgu
