// Reward-robust reinforcement learning: nature chooses the reward [RGU, Prop. reward_robust].
#pragma once

#include <vector>

#include "rgu/utility/features.hpp"
#include "rgu/utility/utility.hpp"

namespace rgu {

// f_xi(lambda) = -<xi, lambda>; xi (S * A) is the reward, entry s * A + a for (s, a).
class RewardRobust final : public Utility {
 public:
  explicit RewardRobust(OccupancyShape shape);  // throws InvalidInput unless S, A >= 1

  UtilityGradient evaluate(const Matrix& occupancy, const Vector& nature) const override;
  UtilityTraits traits() const override;
  UtilityConstants constants(double nature_norm) const override;
};

// f_xi(lambda) = -<sum_i xi_i phi_i, lambda>; xi (k) are the weights of k given features.
class FeatureRewardRobust final : public Utility {
 public:
  // features: phi_1 .. phi_k, each (S, A) and finite, k >= 1; otherwise throws InvalidInput.
  explicit FeatureRewardRobust(const std::vector<Matrix>& features);

  const Features& features() const { return features_; }

  UtilityGradient evaluate(const Matrix& occupancy, const Vector& nature) const override;
  UtilityTraits traits() const override;
  UtilityConstants constants(double nature_norm) const override;

 private:
  explicit FeatureRewardRobust(Features features);

  Features features_;
};

}  // namespace rgu
