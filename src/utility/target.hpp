// Imitation: how far the occupancy is from a target that nature chooses.
#pragma once

#include "rgu/utility/marginal.hpp"
#include "rgu/utility/utility.hpp"

namespace rgu {

struct KlTargetOptions {
  OccupancyShape shape;
  Marginal over = Marginal::kStates;
  double delta = 1e-6;  // > 0
};

// f_xi(lambda) = sum_i p_i log((p_i + delta) / (xi_i + delta)), p the masses of the states or of
// the state-actions, xi (S or S * A) the target. Convex in lambda; convex in xi, so nonconcave for
// nature.
//
// Differs from KL(p | xi), where delta = 0: that is infinite where the target has a zero, and its
// gradients have no bound near one. With delta > 0 all constants exist. The price: at p = xi the
// value is still 0, but the least value over p is below 0 by O(delta) and its place is off by
// O(delta).
class KlTarget final : public Utility {
 public:
  explicit KlTarget(KlTargetOptions options);  // throws InvalidInput unless S, A >= 1, delta > 0

  Marginal over() const { return options_.over; }
  double delta() const { return options_.delta; }

  // Throws InvalidInput also where some xi_i <= -delta: f is not defined there.
  UtilityGradient evaluate(const Matrix& occupancy, const Vector& nature) const override;
  UtilityTraits traits() const override;
  // Over the targets xi >= 0 with |xi| <= nature_norm: a target is a distribution, and on a ball
  // of radius >= delta there would be no constants at all.
  UtilityConstants constants(double nature_norm) const override;

 private:
  KlTargetOptions options_;
};

// f_xi(lambda) = (1/2) |lambda - xi|^2, xi (S * A) the target. Convex in both.
class QuadraticTarget final : public Utility {
 public:
  explicit QuadraticTarget(OccupancyShape shape);  // throws InvalidInput unless S, A >= 1

  UtilityGradient evaluate(const Matrix& occupancy, const Vector& nature) const override;
  UtilityTraits traits() const override;
  UtilityConstants constants(double nature_norm) const override;
};

}  // namespace rgu
