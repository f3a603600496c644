#include "rgu/mdp/occupancy.hpp"

#include <algorithm>
#include <cmath>

#include "rgu/base/check.hpp"
#include "rgu/mdp/policy.hpp"

namespace rgu {

Matrix occupancy(const FiniteMdp& mdp, const Matrix& pi, EvaluationOptions options) {
  return PolicyEvaluation(mdp, pi, options).occupancy();
}

Matrix truncated_occupancy(const FiniteMdp& mdp, const Matrix& pi, Index horizon) {
  check_policy(pi, mdp.states(), mdp.actions());
  check_count("horizon", horizon);
  const double g = mdp.discount();
  // mass(s) = (1-g) g^h Pr(s_h = s).
  Vector mass = (1.0 - g) * mdp.start();
  Vector total = mass;
  for (Index h = 1; h < horizon; ++h) {
    mass = g * mdp.push_forward(mass.asDiagonal() * pi);
    total += mass;
  }
  return total.asDiagonal() * pi;
}

Matrix policy_from_occupancy(const Matrix& occupancy) {
  check_count("number of states", occupancy.rows());
  check_count("number of actions", occupancy.cols());
  Matrix pi(occupancy.rows(), occupancy.cols());
  for (Index s = 0; s < pi.rows(); ++s) {
    double mass = 0;
    for (Index a = 0; a < pi.cols(); ++a) {
      check(std::isfinite(occupancy(s, a)) && occupancy(s, a) >= 0,
            "occupancy s={} a={} is {}, must be finite and >= 0", s, a, occupancy(s, a));
      mass += occupancy(s, a);
    }
    if (mass > 0) {
      // The second division removes what the first rounds away when mass is subnormal.
      pi.row(s) = occupancy.row(s) / mass;
      pi.row(s) /= pi.row(s).sum();
    } else {
      pi.row(s).setConstant(1.0 / static_cast<double>(pi.cols()));
    }
  }
  return pi;
}

double flow_residual(const FiniteMdp& mdp, const Matrix& occupancy) {
  check_shape("occupancy", occupancy, {mdp.states(), mdp.actions()});
  const Vector imbalance = occupancy.rowwise().sum() - (1.0 - mdp.discount()) * mdp.start() -
                           mdp.discount() * mdp.push_forward(occupancy);
  return std::max(imbalance.cwiseAbs().maxCoeff(), std::max(0.0, -occupancy.minCoeff()));
}

}  // namespace rgu
