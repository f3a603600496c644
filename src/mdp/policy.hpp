// Families of policies pi_theta [RGU, Ass. pi_theta_bound].
#pragma once

#include "rgu/base/types.hpp"

namespace rgu {

class PolicyClass {
 public:
  virtual ~PolicyClass() = default;

  // The length of theta.
  virtual Index dimension() const = 0;

  // pi_theta(a|s) as (S, A); rows sum to 1.
  virtual Matrix probabilities(const Vector& theta) const = 0;

  // sum_{s,a} weight(s,a) grad_theta log pi_theta(a|s), given pi = probabilities(theta).
  virtual Vector score(const Matrix& pi, const Matrix& weight) const = 0;
};

}  // namespace rgu
