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

  // sum_{s,a} weight(s,a) grad_theta log pi_theta(a|s). `pi` is probabilities(theta), which every
  // caller has at hand.
  virtual Vector score(const Vector& theta, const Matrix& pi, const Matrix& weight) const = 0;
};

// Throws InvalidInput unless `pi` is (states, actions), nonnegative, with rows that sum to 1
// within 1e-9.
void check_policy(const Matrix& pi, Index states, Index actions);

}  // namespace rgu
