#include "rgu/large/spread_gradient.hpp"

namespace rgu {

SpreadGradient spread_gradient(const SpreadEvaluation& evaluation, const SpreadUtility& utility,
                               const Vector& nature) {
  SpreadGradient gradient{.occupancy = evaluation.occupancy()};
  UtilityGradient f = utility.evaluate(gradient.occupancy, nature);
  gradient.value = f.value;
  gradient.nature = std::move(f.nature);
  gradient.policy = evaluation.action_value(f.occupancy);
  const Vector value = policy_cost(evaluation.policy(), gradient.policy);
  gradient.policy.colwise() -= value;
  gradient.policy.array() *= gradient.occupancy.array();
  return gradient;
}

}  // namespace rgu
