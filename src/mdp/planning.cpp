#include "rgu/mdp/planning.hpp"

#include <algorithm>
#include <limits>

#include "rgu/base/check.hpp"

namespace rgu {
namespace {

constexpr Index kPatience = 20;    // improvements without a smaller span: rounding has won
constexpr int kMostPlans = 10000;  // far more than any model needs: only rounding goes on for ever

// The row of the kernel that the policy takes in state s, times v.
double expected_value(const FiniteMdp& mdp, Index row, const Vector& v) {
  if (mdp.is_sparse()) return mdp.sparse_kernel().row(row).dot(v);
  return mdp.dense_kernel().row(row).dot(v);
}

// Sets V to min_a Q and the actions to those that attain it, with the bounds that follow.
void improve(const FiniteMdp& mdp, const Matrix& cost, ModifiedPlan& plan) {
  const Matrix q = cost + mdp.discount() * mdp.expected_next(plan.value);
  plan.lowest = std::numeric_limits<double>::infinity();
  plan.highest = -plan.lowest;
  for (Index s = 0; s < mdp.states(); ++s) {
    const double least = q.row(s).minCoeff(&plan.action[static_cast<std::size_t>(s)]);
    plan.lowest = std::min(plan.lowest, least - plan.value(s));
    plan.highest = std::max(plan.highest, least - plan.value(s));
  }
}

// One step V <- c + g P V of the policy that is greedy now. The shift is free: it keeps V where the
// bounds put it, so that it need not creep there at the rate g.
void evaluate_greedy(const FiniteMdp& mdp, const Matrix& cost, double shift, ModifiedPlan& plan) {
  Vector next(mdp.states());
  for (Index s = 0; s < mdp.states(); ++s) {
    const Index a = plan.action[static_cast<std::size_t>(s)];
    next(s) = cost(s, a) + mdp.discount() * expected_value(mdp, s * mdp.actions() + a, plan.value) +
              shift;
  }
  plan.value = std::move(next);
}

}  // namespace

ModifiedPlan modified_policy_iteration(const FiniteMdp& mdp, const Matrix& cost,
                                       const ModifiedPlanOptions& options) {
  check_shape("cost", cost, {mdp.states(), mdp.actions()});
  check_finite("cost", cost);
  check_positive("tolerance", options.tolerance);
  check_count("sweeps", options.sweeps, 0);
  check_count("iterations", options.iterations);
  ModifiedPlan plan;
  plan.action.resize(static_cast<std::size_t>(mdp.states()));
  plan.value = options.start;
  if (plan.value.size() == 0) plan.value = Vector::Zero(mdp.states());
  check_size("start", plan.value.size(), mdp.states());
  check_finite("start", plan.value);

  const double promised = options.tolerance * cost.cwiseAbs().maxCoeff();
  const double g = mdp.discount();
  double last = std::numeric_limits<double>::infinity();
  Index stalled = 0;
  while (plan.iterations < options.iterations) {
    improve(mdp, cost, plan);
    ++plan.iterations;
    const double span = plan.highest - plan.lowest;
    stalled = span < 0.999 * last ? 0 : stalled + 1;
    last = std::min(last, span);
    if (span <= promised || stalled > kPatience) return plan;
    const double shift = g / (1 - g) * 0.5 * (plan.lowest + plan.highest);
    evaluate_greedy(mdp, cost, shift, plan);
    for (Index k = 0; k < options.sweeps; ++k) evaluate_greedy(mdp, cost, 0, plan);
  }
  improve(mdp, cost, plan);
  return plan;
}

Plan optimal_plan(const FiniteMdp& mdp, const Matrix& cost, EvaluationOptions options) {
  check_shape("cost", cost, {mdp.states(), mdp.actions()});
  check_finite("cost", cost);
  Plan plan;
  plan.action.resize(static_cast<std::size_t>(mdp.states()));
  for (Index s = 0; s < mdp.states(); ++s) cost.row(s).minCoeff(&plan.action[s]);

  const bool near_one = mdp.discount() > kDiscountNearOne;
  const double largest = cost.cwiseAbs().maxCoeff();
  const double solve =
      mdp.is_sparse() ? options.residual : 64 * std::numeric_limits<double>::epsilon();
  for (bool changed = true; changed && plan.iterations < kMostPlans;) {
    const PolicyEvaluation evaluation(mdp, deterministic_policy(plan.action, mdp.actions()),
                                      options);
    // The mean cost of a step: without it, values of models that mix stay small at every discount.
    const double mean = near_one ? evaluation.occupancy().cwiseProduct(cost).sum() : 0.0;
    const Matrix rest = cost.array() - mean;
    plan.relative = evaluation.value(rest);
    // Values carry an error of about solve / (1-g), relative ones of their own rounding: smaller
    // gains are not gains.
    const double least_gain = near_one
                                  ? 64 * kEps * (largest + plan.relative.lpNorm<Eigen::Infinity>())
                                  : solve * largest / (1.0 - mdp.discount());
    const Matrix q = rest + mdp.discount() * mdp.expected_next(plan.relative);
    plan.value = plan.relative.array() + mean / (1.0 - mdp.discount());
    plan.residual = 0;
    plan.shortfall = std::numeric_limits<double>::infinity();
    changed = false;
    for (Index s = 0; s < mdp.states(); ++s) {
      Index best = 0;
      const double gain = plan.relative(s) - q.row(s).minCoeff(&best);
      plan.residual = std::max(plan.residual, gain);
      plan.shortfall = std::min(plan.shortfall, mean - gain);
      if (best != plan.action[s] && q(s, plan.action[s]) - q(s, best) > least_gain) {
        plan.action[s] = best;
        changed = true;
      }
    }
    ++plan.iterations;
  }
  return plan;
}

Matrix uniform_policy(Index states, Index actions) {
  return Matrix::Constant(states, actions, 1.0 / static_cast<double>(actions));
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
