// Policies by their occupancy.
#pragma once

#include "rgu/mdp/policy.hpp"

namespace rgu {

// theta is an occupancy lambda, flattened (S * A): pi(a|s) = lambda(s,a) / sum_a lambda(s,a),
// uniform where a state has no mass.
class OccupancyPolicies final : public PolicyClass {
 public:
  OccupancyPolicies(Index states, Index actions);  // throws InvalidInput unless both are >= 1

  Index dimension() const override { return states_ * actions_; }
  Matrix probabilities(const Vector& theta) const override;
  // d/d lambda(s,b) of log pi(a|s) is [a = b] / lambda(s,a) - 1 / sum_a lambda(s,a). Only where all
  // of lambda is > 0 is there a gradient; entries of states without it are 0.
  Vector score(const Vector& theta, const Matrix& pi, const Matrix& weight) const override;

 private:
  Index states_;
  Index actions_;
};

}  // namespace rgu
