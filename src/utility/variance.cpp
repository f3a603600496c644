#include "rgu/utility/variance.hpp"

#include "rgu/base/check.hpp"

namespace rgu {

Variance::Variance(const VarianceOptions& options)
    : Variance(stacked("feature", options.features), options.aversion) {}

Variance::Variance(Features features, double aversion)
    : Utility({.states = features.shape.states,
               .actions = features.shape.actions,
               .nature = features.count()}),
      features_(std::move(features)),
      aversion_(aversion) {
  check_nonnegative("risk aversion", aversion_);
}

UtilityGradient Variance::evaluate(const Matrix& occupancy, const Vector& nature) const {
  check_arguments(occupancy, nature);
  const Matrix reward = features_.combined(nature);
  const Matrix weighted = reward.cwiseProduct(occupancy);
  const double mean = weighted.sum();
  const double variance = weighted.cwiseProduct(reward).sum() - mean * mean;
  // grad_lambda = r (-1 - 2 kappa mean + kappa r); the gradient in r, which the features carry to
  // xi, is lambda (-1 - 2 kappa mean + 2 kappa r).
  const double constant = -(1 + 2 * aversion_ * mean);
  const Matrix in_reward =
      (constant * occupancy.array() + 2 * aversion_ * weighted.array()).matrix();
  return {.value = -mean + aversion_ * variance,
          .occupancy = reward.array() * (constant + aversion_ * reward.array()),
          .nature = features_.moments(in_reward)};
}

UtilityTraits Variance::traits() const {
  if (aversion_ == 0) return {.convex_in_occupancy = true, .nature = NatureShape::kLinear};
  return {.convex_in_occupancy = false, .nature = NatureShape::kNonconcave};
}

// Let R = nature_norm, p = the largest |row of Phi|, N = |Phi| (spectral), k = kappa, and a bar the
// mean under lambda. Every |r(s,a)| and |bar r| is at most R p, and |r| <= N R.
//   l_lambda: |r (-1 + k (r - 2 bar r))| <= N R (1 + 3 k R p).
//   L_lambda: the Hessian is -2 k r r', of norm <= 2 k (N R)^2.
//   l_xi: |bar phi| <= p, and |2 k Cov(phi, r)| <= 2 k sqrt(E |phi|^2 Var r) <= 2 k p (R p).
//   L_xi: the Hessian is 2 k Cov(phi), of norm <= 2 k p^2.
//   cross: -Phi' + 2 k (Phi' diag(r - bar r) - bar phi r'), norm <= N + 2 k (N 2 R p + p N R).
UtilityConstants Variance::constants(double nature_norm) const {
  check_nonnegative("bound on |xi|", nature_norm);
  const double p = largest_row_norm(features_.table);
  const double norm = spectral_norm(features_.table);
  const double reward_norm = norm * nature_norm;
  const double largest_reward = nature_norm * p;
  return {.occupancy_gradient = reward_norm * (1 + 3 * aversion_ * largest_reward),
          .occupancy_lipschitz = 2 * aversion_ * reward_norm * reward_norm,
          .nature_gradient = p + 2 * aversion_ * p * largest_reward,
          .nature_lipschitz = 2 * aversion_ * p * p,
          .cross_lipschitz = norm * (1 + 6 * aversion_ * largest_reward)};
}

}  // namespace rgu
