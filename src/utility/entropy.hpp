// Exploration: the negative entropy of the occupancy, a cost that is least when mass is spread.
#pragma once

#include "rgu/utility/marginal.hpp"
#include "rgu/utility/utility.hpp"

namespace rgu {

struct EntropyOptions {
  OccupancyShape shape;
  Marginal over = Marginal::kStates;
  double delta = 1e-6;  // > 0: keeps the gradient finite where there is no mass
};

// f(lambda) = sum_i p_i log(p_i + delta), p the masses of the states or of the state-actions; no
// xi. Convex for p >= 0. Throws InvalidInput unless S, A >= 1 and delta > 0.
class Entropy final : public Utility {
 public:
  explicit Entropy(EntropyOptions options);

  Marginal over() const { return options_.over; }
  double delta() const { return options_.delta; }

  UtilityGradient evaluate(const Matrix& occupancy, const Vector& nature) const override;
  UtilityTraits traits() const override;
  UtilityConstants constants(double nature_norm) const override;

 private:
  EntropyOptions options_;
};

}  // namespace rgu
