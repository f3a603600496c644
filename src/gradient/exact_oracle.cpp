#include "rgu/gradient/exact_oracle.hpp"

#include "rgu/gradient/check_parts.hpp"
#include "rgu/mdp/occupancy.hpp"

namespace rgu {

ExactOracle::ExactOracle(const FiniteMdp& mdp, const PolicyClass& policy, const Utility& utility,
                         PolicyGradientScale scale)
    : mdp_(mdp),
      policy_(policy),
      utility_(utility),
      factor_(gradient_factor(scale, mdp.discount())) {
  check_parts(mdp, policy, utility);
}

SaddleGradient ExactOracle::estimate(const SaddlePoint& at, Rng& /*rng*/) const {
  return gradient(at);
}

SaddleGradient ExactOracle::estimate_nature(const SaddlePoint& at, Rng& /*rng*/) const {
  UtilityGradient utility =
      utility_.evaluate(occupancy(mdp_, policy_.probabilities(at.policy)), at.nature);
  return {.value = utility.value, .policy = {}, .nature = std::move(utility.nature)};
}

SaddleGradient ExactOracle::gradient(const SaddlePoint& at) const {
  return gradient(at, PolicyEvaluation(mdp_, policy_.probabilities(at.policy)));
}

SaddleGradient ExactOracle::gradient(const SaddlePoint& at,
                                     const PolicyEvaluation& evaluation) const {
  const Matrix lambda = evaluation.occupancy();
  UtilityGradient utility = utility_.evaluate(lambda, at.nature);
  Matrix weight = evaluation.action_value(utility.occupancy);
  weight.array() *= factor_ * lambda.array();
  return {.value = utility.value,
          .policy = policy_.score(at.policy, evaluation.policy(), weight),
          .nature = std::move(utility.nature)};
}

}  // namespace rgu
