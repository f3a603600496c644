// The scale of the policy gradient.
#pragma once

namespace rgu {

// kDerivative: the derivative of f_xi(lambda_theta), as finite differences confirm.
// kPaper: that divided by (1-g). Differs from kDerivative because [RGU, Thm. gradient] drops the
// factor (1-g) although its occupancy carries it; the step sizes of its experiments need this
// scale.
enum class PolicyGradientScale { kDerivative, kPaper };

// What the derivative is multiplied by.
inline double gradient_factor(PolicyGradientScale scale, double discount) {
  return scale == PolicyGradientScale::kPaper ? 1.0 / (1.0 - discount) : 1.0;
}

}  // namespace rgu
