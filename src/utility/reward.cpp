#include "rgu/utility/reward.hpp"

#include "rgu/base/check.hpp"

namespace rgu {

LinearReward::LinearReward(Matrix reward)
    : Utility({.states = reward.rows(), .actions = reward.cols(), .nature = 0}),
      reward_(std::move(reward)) {
  check_finite("reward", reward_);
}

UtilityGradient LinearReward::evaluate(const Matrix& occupancy, const Vector& nature) const {
  check_arguments(occupancy, nature);
  return {.value = -reward_.cwiseProduct(occupancy).sum(), .occupancy = -reward_, .nature = {}};
}

UtilityTraits LinearReward::traits() const {
  return {.convex_in_occupancy = true, .nature = NatureShape::kNone};
}

// The gradient is the constant -r.
UtilityConstants LinearReward::constants(double nature_norm) const {
  check_nonnegative("bound on |xi|", nature_norm);
  return {.occupancy_gradient = reward_.norm(),
          .occupancy_lipschitz = 0,
          .nature_gradient = 0,
          .nature_lipschitz = 0,
          .cross_lipschitz = 0};
}

}  // namespace rgu
