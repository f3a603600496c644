// Constrained reinforcement learning by its Lagrangian: nature chooses the multipliers
// [RGU, Prop. crl].
#pragma once

#include <vector>

#include "rgu/utility/features.hpp"
#include "rgu/utility/utility.hpp"

namespace rgu {

// minimise <c_0, lambda> subject to <c_k, lambda> <= tau_k for k = 1 .. K.
struct ConstrainedCosts {
  Matrix objective;                 // c_0: (S, A)
  std::vector<Matrix> constraints;  // c_1 .. c_K: each (S, A), K >= 1
  Vector thresholds;                // tau: (K). lambda sums to 1, so they bound averages of c_k
};

// f_xi(lambda) = <c_0 + sum_k xi_k c_k, lambda> - sum_k xi_k tau_k; xi (K) are the multipliers.
// That xi >= 0 is the business of the ambiguity set: f is defined for every xi. Linear in xi;
// NatureRegularized makes it strongly concave.
class Constrained final : public Utility {
 public:
  // Throws InvalidInput unless shapes agree and all is finite.
  explicit Constrained(ConstrainedCosts costs);

  const Matrix& objective() const { return objective_; }
  const Features& constraints() const { return constraints_; }
  const Vector& thresholds() const { return thresholds_; }

  UtilityGradient evaluate(const Matrix& occupancy, const Vector& nature) const override;
  UtilityTraits traits() const override;
  UtilityConstants constants(double nature_norm) const override;

 private:
  Matrix objective_;
  Vector thresholds_;
  Features constraints_;
};

}  // namespace rgu
