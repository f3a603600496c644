// The classic objective: expected discounted reward, as a cost.
#pragma once

#include "rgu/utility/utility.hpp"

namespace rgu {

// f(lambda) = -<r, lambda>, no xi. reward: (S, A), finite, or InvalidInput is thrown.
class LinearReward final : public Utility {
 public:
  explicit LinearReward(Matrix reward);

  const Matrix& reward() const { return reward_; }

  UtilityGradient evaluate(const Matrix& occupancy, const Vector& nature) const override;
  UtilityTraits traits() const override;
  UtilityConstants constants(double nature_norm) const override;

 private:
  Matrix reward_;
};

}  // namespace rgu
