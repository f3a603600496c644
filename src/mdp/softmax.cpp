#include "rgu/mdp/softmax.hpp"

#include <algorithm>
#include <numbers>

#include "rgu/base/check.hpp"
#include "rgu/base/dense_kernels.hpp"

namespace rgu {
namespace {

// grad_logits of sum weight log pi: weight(s,a) - pi(a|s) sum_a' weight(s,a').
Vector logit_score(const Matrix& pi, const Matrix& weight) {
  check_shape("weight", weight, {pi.rows(), pi.cols()});
  const Index actions = pi.cols();
  Vector score(pi.size());
  const double* w = weight.data();
  const double* p = pi.data();
  double* to = score.data();
  for (Index s = 0; s < pi.rows(); ++s, w += actions, p += actions, to += actions) {
    double total = 0;
    for (Index a = 0; a < actions; ++a) total += w[a];
    for (Index a = 0; a < actions; ++a) to[a] = w[a] - total * p[a];
  }
  return score;
}

// max over s, a, a' of |features(s, a) - features(s, a')|.
double feature_spread(const Matrix& features, Index actions) {
  double largest = 0;
  for (Index first = 0; first < features.rows(); first += actions) {
    for (Index a = first; a < first + actions; ++a) {
      for (Index b = a + 1; b < first + actions; ++b) {
        largest = std::max(largest, (features.row(a) - features.row(b)).norm());
      }
    }
  }
  return largest;
}

}  // namespace

TabularSoftmax::TabularSoftmax(Sizes sizes) : sizes_(sizes) {
  check_count("number of states", sizes.states);
  check_count("number of actions", sizes.actions);
  checked_product({{"number of states", sizes.states}, {"number of actions", sizes.actions}});
}

Matrix TabularSoftmax::probabilities(const Vector& theta) const {
  check_size("theta", theta.size(), dimension());
  Matrix pi = as_matrix(theta, sizes_.states, sizes_.actions);
  dense_kernels().softmax(pi.data(), pi.rows(), pi.cols());
  return pi;
}

Vector TabularSoftmax::score(const Vector& /*theta*/, const Matrix& pi,
                             const Matrix& weight) const {
  check_shape("policy", pi, {sizes_.states, sizes_.actions});
  return logit_score(pi, weight);
}

LogLinearSoftmax::LogLinearSoftmax(Matrix features, Index actions)
    : features_(std::move(features)), actions_(actions) {
  check_count("number of actions", actions);
  check_count("number of features", features_.cols());
  check(features_.rows() > 0 && features_.rows() % actions == 0,
        "features have {} rows for {} actions, must have S * A rows with S >= 1", features_.rows(),
        actions);
  check_finite("features", features_);
}

Matrix LogLinearSoftmax::probabilities(const Vector& theta) const {
  check_size("theta", theta.size(), dimension());
  Matrix pi(features_.rows() / actions_, actions_);
  Eigen::Map<Vector>(pi.data(), pi.size()).noalias() = features_ * theta;
  dense_kernels().softmax(pi.data(), pi.rows(), pi.cols());
  return pi;
}

Vector LogLinearSoftmax::score(const Vector& /*theta*/, const Matrix& pi,
                               const Matrix& weight) const {
  check_shape("policy", pi, {features_.rows() / actions_, actions_});
  return features_.transpose() * logit_score(pi, weight);
}

PolicyConstants policy_constants(const PolicyClass& policy) {
  if (dynamic_cast<const TabularSoftmax*>(&policy) != nullptr) {
    return {.lipschitz = std::numbers::sqrt2, .smoothness = 0.5};
  }
  const auto* linear = dynamic_cast<const LogLinearSoftmax*>(&policy);
  if (linear == nullptr) return {};
  const double spread = feature_spread(linear->features(), linear->actions());
  return {.lipschitz = spread, .smoothness = spread * spread / 4};
}

}  // namespace rgu
