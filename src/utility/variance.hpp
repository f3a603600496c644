// Risk-sensitive reward: mean and variance of the reward under the occupancy.
#pragma once

#include <vector>

#include "rgu/utility/features.hpp"
#include "rgu/utility/utility.hpp"

namespace rgu {

struct VarianceOptions {
  std::vector<Matrix> features;  // phi_1 .. phi_k: each (S, A), k >= 1
  double aversion = 0;           // kappa >= 0: the price of variance
};

// f_xi(lambda) = -<r, lambda> + kappa (<r^2, lambda> - <r, lambda>^2), r = sum_i xi_i phi_i; xi (k)
// are the weights of the features. For kappa > 0 NOT convex in lambda, because -<r, lambda>^2 is
// concave, and on the simplex convex in xi, so nonconcave for nature. For kappa = 0 linear in both.
// Throws InvalidInput unless the features have one shape, are finite, and kappa >= 0.
class Variance final : public Utility {
 public:
  explicit Variance(const VarianceOptions& options);

  const Features& features() const { return features_; }
  double aversion() const { return aversion_; }

  UtilityGradient evaluate(const Matrix& occupancy, const Vector& nature) const override;
  UtilityTraits traits() const override;
  UtilityConstants constants(double nature_norm) const override;

 private:
  Variance(Features features, double aversion);

  Features features_;
  double aversion_;
};

}  // namespace rgu
