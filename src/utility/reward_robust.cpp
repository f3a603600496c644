#include "rgu/utility/reward_robust.hpp"

#include "rgu/base/check.hpp"

namespace rgu {

RewardRobust::RewardRobust(OccupancyShape shape)
    : Utility({.states = shape.states, .actions = shape.actions, .nature = pairs_of(shape)}) {}

UtilityGradient RewardRobust::evaluate(const Matrix& occupancy, const Vector& nature) const {
  check_arguments(occupancy, nature);
  const auto reward = as_matrix(nature, states(), actions());
  return {.value = -reward.cwiseProduct(occupancy).sum(),
          .occupancy = -reward,
          .nature = -Eigen::Map<const Vector>(occupancy.data(), occupancy.size())};
}

UtilityTraits RewardRobust::traits() const {
  return {.convex_in_occupancy = true, .nature = NatureShape::kLinear};
}

// The gradients are -xi and -lambda; the largest |lambda| over the simplex is 1, at a vertex. All
// five are attained.
UtilityConstants RewardRobust::constants(double nature_norm) const {
  check_nonnegative("bound on |xi|", nature_norm);
  return {.occupancy_gradient = nature_norm,
          .occupancy_lipschitz = 0,
          .nature_gradient = 1,
          .nature_lipschitz = 0,
          .cross_lipschitz = 1};
}

FeatureRewardRobust::FeatureRewardRobust(const std::vector<Matrix>& features)
    : FeatureRewardRobust(stacked("feature", features)) {}

FeatureRewardRobust::FeatureRewardRobust(Features features)
    : Utility({.states = features.shape.states,
               .actions = features.shape.actions,
               .nature = features.count()}),
      features_(std::move(features)) {}

UtilityGradient FeatureRewardRobust::evaluate(const Matrix& occupancy, const Vector& nature) const {
  check_arguments(occupancy, nature);
  UtilityGradient gradient{.value = 0,
                           .occupancy = features_.combined(-nature),
                           .nature = -features_.moments(occupancy)};
  gradient.value = gradient.nature.dot(nature);
  return gradient;
}

UtilityTraits FeatureRewardRobust::traits() const {
  return {.convex_in_occupancy = true, .nature = NatureShape::kLinear};
}

// With Phi (S * A, k): grad_lambda = -Phi xi, grad_xi = -Phi' lambda. |Phi' lambda| is convex in
// lambda, so its maximum over the simplex is at a vertex: a row of Phi.
UtilityConstants FeatureRewardRobust::constants(double nature_norm) const {
  check_nonnegative("bound on |xi|", nature_norm);
  const double norm = spectral_norm(features_.table);
  return {.occupancy_gradient = norm * nature_norm,
          .occupancy_lipschitz = 0,
          .nature_gradient = largest_row_norm(features_.table),
          .nature_lipschitz = 0,
          .cross_lipschitz = norm};
}

}  // namespace rgu
