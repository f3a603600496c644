#include "rgu/utility/target.hpp"

#include <algorithm>
#include <cmath>

#include "rgu/base/check.hpp"

namespace rgu {

KlTarget::KlTarget(KlTargetOptions options)
    : Utility({.states = options.shape.states,
               .actions = options.shape.actions,
               .nature = marginal_size(options.over, options.shape)}),
      options_(options) {
  check_positive("delta of the KL target", options_.delta);
}

UtilityGradient KlTarget::evaluate(const Matrix& occupancy, const Vector& nature) const {
  check_arguments(occupancy, nature);
  const double delta = options_.delta;
  for (Index i = 0; i < nature.size(); ++i) {
    check(!(nature(i) <= -delta), "target xi[{}] is {}, must be above -delta = {}", i, nature(i),
          -delta);
  }
  const Vector mass = marginal(options_.over, occupancy);
  const auto lifted = mass.array() + delta;
  const auto target = nature.array() + delta;
  const Vector ratio = (lifted / target).log();
  const Vector slope = ratio.array() + mass.array() / lifted;
  return {.value = mass.dot(ratio),
          .occupancy = marginal_pullback(options_.over, slope, options_.shape),
          .nature = -mass.array() / target};
}

UtilityTraits KlTarget::traits() const {
  return {.convex_in_occupancy = true, .nature = NatureShape::kNonconcave};
}

// Masses are in [0, 1], targets in [0, nature_norm]. An entry of grad_lambda is
// log((p + delta)/(xi + delta)) + p/(p + delta), increasing in p and decreasing in xi: its extremes
// are at (p, xi) = (1, 0) and (0, nature_norm). Its derivative in p is that of the entropy. grad_xi
// has entries -p/(xi + delta), diagonal in both arguments, and |p| <= 1.
UtilityConstants KlTarget::constants(double nature_norm) const {
  check_nonnegative("bound on |xi|", nature_norm);
  const double delta = options_.delta;
  const double largest = std::max(std::log1p(1 / delta) + 1 / (1 + delta),  // (1, 0)
                                  std::log1p(nature_norm / delta));         // (0, nature_norm)
  const double entries = static_cast<double>(states() * actions());
  const double squared_norm = marginal_norm_squared(options_.over, options_.shape);
  return {.occupancy_gradient = std::sqrt(entries) * largest,
          .occupancy_lipschitz = 2 / delta * squared_norm,
          .nature_gradient = 1 / delta,
          .nature_lipschitz = 1 / (delta * delta),
          .cross_lipschitz = std::sqrt(squared_norm) / delta};
}

QuadraticTarget::QuadraticTarget(OccupancyShape shape)
    : Utility({.states = shape.states, .actions = shape.actions, .nature = pairs_of(shape)}) {}

UtilityGradient QuadraticTarget::evaluate(const Matrix& occupancy, const Vector& nature) const {
  check_arguments(occupancy, nature);
  Matrix difference = occupancy - as_matrix(nature, states(), actions());
  const double value = 0.5 * difference.squaredNorm();
  Vector opposite = -flatten(difference);
  return {.value = value, .occupancy = std::move(difference), .nature = std::move(opposite)};
}

UtilityTraits QuadraticTarget::traits() const {
  return {.convex_in_occupancy = true, .nature = NatureShape::kNonconcave};
}

// The gradients are +-(lambda - xi) and |lambda| <= 1. All five are attained.
UtilityConstants QuadraticTarget::constants(double nature_norm) const {
  check_nonnegative("bound on |xi|", nature_norm);
  return {.occupancy_gradient = 1 + nature_norm,
          .occupancy_lipschitz = 1,
          .nature_gradient = 1 + nature_norm,
          .nature_lipschitz = 1,
          .cross_lipschitz = 1};
}

}  // namespace rgu
