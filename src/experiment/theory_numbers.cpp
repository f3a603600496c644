#include "rgu/experiment/theory_numbers.hpp"

#include <algorithm>

#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/matrix_ball.hpp"
#include "rgu/mdp/softmax.hpp"
#include "rgu/theory/bounds_arithmetic.hpp"

namespace rgu {

ProblemNumbers problem_numbers(const Instance& instance, ConstantScale scale) {
  const FiniteMdp& mdp = instance.world.mdp;
  const PolicyConstants policy = policy_constants(*instance.policy);
  const UtilityConstants utility = instance.utility->constants(norm_bound(*instance.ambiguity));
  const UtilityTraits traits = instance.utility->traits();
  return {.discount = mdp.discount(),
          .states = mdp.states(),
          .actions = mdp.actions(),
          .policy_lipschitz = policy.lipschitz,
          .policy_smoothness = policy.smoothness,
          .occupancy_gradient = utility.occupancy_gradient,
          .occupancy_lipschitz = utility.occupancy_lipschitz,
          .nature_gradient = utility.nature_gradient,
          .nature_lipschitz = utility.nature_lipschitz,
          .cross_lipschitz = utility.cross_lipschitz,
          .policy_diameter = instance.parameters->diameter(),
          .nature_diameter = instance.ambiguity->diameter(),
          .convex_in_occupancy = traits.convex_in_occupancy,
          .concave_in_nature = traits.nature != NatureShape::kNonconcave,
          .strong_concavity = traits.strong_concavity,
          .scale = scale};
}

ConstantScale constant_scale(PolicyGradientScale scale) {
  return scale == PolicyGradientScale::kPaper ? ConstantScale::kPaper : ConstantScale::kDerivative;
}

std::optional<LpBallNumbers> lp_ball_numbers(const ConvexSet& ambiguity) {
  const Index dimension = std::max<Index>(1, ambiguity.dimension());
  if (const auto* ball = dynamic_cast<const LpBall*>(&ambiguity)) {
    return LpBallNumbers{.p = ball->p(), .radius = ball->radius(), .dimension = dimension};
  }
  if (const auto* ball = dynamic_cast<const FrobeniusBall*>(&ambiguity)) {
    return LpBallNumbers{.p = 2, .radius = ball->radius(), .dimension = dimension};
  }
  if (ambiguity.diameter() == 0) return LpBallNumbers{.p = 2, .dimension = dimension};
  return std::nullopt;
}

double largest_excess(const ProblemNumbers& numbers) {
  const double star = numbers.scale == ConstantScale::kPaper ? 1 / (1 - numbers.discount) : 1;
  const double by_policy =
      bound_product(saddle_constants(numbers).policy_gradient, numbers.policy_diameter);
  const double by_occupancy =
      bound_product(star * numbers.occupancy_gradient, numbers.occupancy_diameter);
  return std::min(by_policy, by_occupancy);
}

}  // namespace rgu
