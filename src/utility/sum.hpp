// A weighted sum of utilities; nature chooses the parameter of each part.
#pragma once

#include <memory>
#include <vector>

#include "rgu/utility/utility.hpp"

namespace rgu {

struct WeightedUtility {
  double weight = 1;  // >= 0
  std::shared_ptr<const Utility> utility;
};

// f_xi(lambda) = sum_k weight_k f_k(lambda, xi_k); xi is the xi_k one after the other, in the order
// of the parts. The parts may be sums themselves, and may share one utility.
//
// In xi the sum is as weak as its weakest part: nonconcave if one part is; else linear if every
// part that has a xi is; else strongly concave, with the least weight_k mu_k, if every part that
// has a xi is; else concave. A part of weight 0 counts as linear in its xi.
//
// Throws InvalidInput unless there is a part, no utility is missing, all share S and A, and every
// weight is finite and >= 0.
class Sum final : public Utility {
 public:
  explicit Sum(std::vector<WeightedUtility> parts);

  const std::vector<WeightedUtility>& parts() const { return parts_; }

  UtilityGradient evaluate(const Matrix& occupancy, const Vector& nature) const override;
  UtilityTraits traits() const override;
  UtilityConstants constants(double nature_norm) const override;

 private:
  std::vector<WeightedUtility> parts_;
};

}  // namespace rgu
