// Gradients of f_xi(lambda_theta) for both players, by solving the model.
#pragma once

#include "rgu/gradient/policy_gradient_scale.hpp"
#include "rgu/mdp/finite_mdp.hpp"
#include "rgu/mdp/policy.hpp"
#include "rgu/mdp/policy_evaluation.hpp"
#include "rgu/saddle/saddle_problem.hpp"
#include "rgu/utility/utility.hpp"

namespace rgu {

// grad_theta = sum_{s,a} d(s) pi(a|s) Q_c(s,a) grad log pi(a|s), c = grad_lambda f_xi(lambda), and
// grad_xi f_xi(lambda), from one factorisation [RGU, Thm. gradient]. Draws nothing from the Rng.
// Keeps references to its parts.
class ExactOracle final : public GradientOracle {
 public:
  // Throws InvalidInput where the shapes of model, policy and utility do not fit together.
  ExactOracle(const FiniteMdp& mdp, const PolicyClass& policy, const Utility& utility,
              PolicyGradientScale scale = PolicyGradientScale::kDerivative);

  SaddleGradient estimate(const SaddlePoint& at, Rng& rng) const override;
  SaddleGradient estimate_nature(const SaddlePoint& at, Rng& rng) const override;
  SaddleGradient gradient(const SaddlePoint& at) const;
  // The same where the policy of `at` was evaluated already.
  SaddleGradient gradient(const SaddlePoint& at, const PolicyEvaluation& evaluation) const;

 private:
  const FiniteMdp& mdp_;
  const PolicyClass& policy_;
  const Utility& utility_;
  double factor_;
};

}  // namespace rgu
