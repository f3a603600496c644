#include "rgu/utility/entropy.hpp"

#include <algorithm>
#include <cmath>

#include "rgu/base/check.hpp"

namespace rgu {

Entropy::Entropy(EntropyOptions options)
    : Utility({.states = options.shape.states, .actions = options.shape.actions, .nature = 0}),
      options_(options) {
  check_positive("delta of the entropy", options_.delta);
}

UtilityGradient Entropy::evaluate(const Matrix& occupancy, const Vector& nature) const {
  check_arguments(occupancy, nature);
  const Vector mass = marginal(options_.over, occupancy);
  const Vector logarithm = (mass.array() + options_.delta).log();
  const Vector slope = logarithm.array() + mass.array() / (mass.array() + options_.delta);
  return {.value = mass.dot(logarithm),
          .occupancy = marginal_pullback(options_.over, slope, options_.shape),
          .nature = {}};
}

UtilityTraits Entropy::traits() const {
  return {.convex_in_occupancy = true, .nature = NatureShape::kNone};
}

// The slope log(p + delta) + p/(p + delta) has derivative 1/(p + delta) + delta/(p + delta)^2,
// which is positive and at most 2/delta, at p = 0. So the slope lies between its values at p = 0
// and p = 1; S * A entries of the gradient are each a slope; and the Hessian is diagonal in the
// masses.
UtilityConstants Entropy::constants(double nature_norm) const {
  check_nonnegative("bound on |xi|", nature_norm);
  const double delta = options_.delta;
  const double largest =
      std::max(std::abs(std::log(delta)), std::abs(std::log1p(delta) + 1 / (1 + delta)));
  const double entries = static_cast<double>(states() * actions());
  return {.occupancy_gradient = std::sqrt(entries) * largest,
          .occupancy_lipschitz = 2 / delta * marginal_norm_squared(options_.over, options_.shape),
          .nature_gradient = 0,
          .nature_lipschitz = 0,
          .cross_lipschitz = 0};
}

}  // namespace rgu
