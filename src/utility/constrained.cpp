#include "rgu/utility/constrained.hpp"

#include "rgu/base/check.hpp"

namespace rgu {

Constrained::Constrained(ConstrainedCosts costs)
    : Utility({.states = costs.objective.rows(),
               .actions = costs.objective.cols(),
               .nature = std::ssize(costs.constraints)}),
      objective_(std::move(costs.objective)),
      thresholds_(std::move(costs.thresholds)),
      constraints_(stacked("constraint cost", costs.constraints)) {
  check_finite("objective cost", objective_);
  check_shape("constraint cost 0", costs.constraints.front(), {states(), actions()});
  check_size("thresholds", thresholds_.size(), nature_dimension());
  check_finite("thresholds", thresholds_);
}

UtilityGradient Constrained::evaluate(const Matrix& occupancy, const Vector& nature) const {
  check_arguments(occupancy, nature);
  UtilityGradient gradient{.value = objective_.cwiseProduct(occupancy).sum(),
                           .occupancy = constraints_.combined(nature),
                           .nature = constraints_.moments(occupancy) - thresholds_};
  gradient.value += gradient.nature.dot(nature);
  gradient.occupancy += objective_;
  return gradient;
}

UtilityTraits Constrained::traits() const {
  return {.convex_in_occupancy = true, .nature = NatureShape::kLinear};
}

// With C (S * A, K): grad_lambda = c_0 + C xi and grad_xi = C' lambda - tau. The norm of the latter
// is convex in lambda, so its maximum is at a vertex of the simplex: |row of C - tau|.
UtilityConstants Constrained::constants(double nature_norm) const {
  check_nonnegative("bound on |xi|", nature_norm);
  const double norm = spectral_norm(constraints_.table);
  const Matrix excess = constraints_.table.rowwise() - thresholds_.transpose();
  return {.occupancy_gradient = objective_.norm() + norm * nature_norm,
          .occupancy_lipschitz = 0,
          .nature_gradient = largest_row_norm(excess),
          .nature_lipschitz = 0,
          .cross_lipschitz = norm};
}

}  // namespace rgu
