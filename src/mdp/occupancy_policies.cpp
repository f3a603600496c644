#include "rgu/mdp/occupancy_policies.hpp"

#include "rgu/base/check.hpp"
#include "rgu/mdp/occupancy.hpp"

namespace rgu {

OccupancyPolicies::OccupancyPolicies(Index states, Index actions)
    : states_(states), actions_(actions) {
  check_count("number of states", states);
  check_count("number of actions", actions);
  checked_product({{"number of states", states}, {"number of actions", actions}});
}

Matrix OccupancyPolicies::probabilities(const Vector& theta) const {
  check_size("occupancy", theta.size(), dimension());
  return policy_from_occupancy(as_matrix(theta, states_, actions_));
}

Vector OccupancyPolicies::score(const Vector& theta, const Matrix&, const Matrix& weight) const {
  check_size("occupancy", theta.size(), dimension());
  check_shape("weight", weight, {states_, actions_});
  const auto lambda = as_matrix(theta, states_, actions_);
  Matrix result = Matrix::Zero(states_, actions_);
  for (Index s = 0; s < states_; ++s) {
    if (!(lambda.row(s).minCoeff() > 0)) continue;
    result.row(s) = weight.row(s).cwiseQuotient(lambda.row(s));
    result.row(s).array() -= weight.row(s).sum() / lambda.row(s).sum();
  }
  return flatten(result);
}

}  // namespace rgu
