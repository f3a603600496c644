#include "rgu/mdp/softmax.hpp"

#include <algorithm>
#include <numeric>

#include "rgu/base/check.hpp"

namespace rgu {
namespace {

// Plain loops over rows: rows are short, and these are the innermost steps of small problems.

// Shifting a row by its maximum leaves the softmax as it is and keeps exp from overflowing.
void softmax_rows(Matrix& logits) {
  const Index actions = logits.cols();
  double* const end = logits.data() + logits.size();
  for (double* row = logits.data(); row < end; row += actions) {
    const double shift = *std::max_element(row, row + actions);
    for (Index a = 0; a < actions; ++a) row[a] -= shift;
  }
  logits.array() = logits.array().exp();
  for (double* row = logits.data(); row < end; row += actions) {
    const double scale = 1 / std::accumulate(row, row + actions, 0.0);
    for (Index a = 0; a < actions; ++a) row[a] *= scale;
  }
}

// grad_logits of sum weight log pi: weight(s,a) - pi(a|s) sum_a' weight(s,a').
Vector logit_score(const Matrix& pi, const Matrix& weight) {
  check_shape("weight", weight, {pi.rows(), pi.cols()});
  const Index actions = pi.cols();
  Vector score(pi.size());
  for (Index first = 0; first < pi.size(); first += actions) {
    const double* w = weight.data() + first;
    const double* p = pi.data() + first;
    const double total = std::accumulate(w, w + actions, 0.0);
    for (Index a = 0; a < actions; ++a) score[first + a] = w[a] - total * p[a];
  }
  return score;
}

}  // namespace

TabularSoftmax::TabularSoftmax(Sizes sizes) : sizes_(sizes) {
  check_count("number of states", sizes.states);
  check_count("number of actions", sizes.actions);
}

Matrix TabularSoftmax::probabilities(const Vector& theta) const {
  check_size("theta", theta.size(), dimension());
  Matrix pi = as_matrix(theta, sizes_.states, sizes_.actions);
  softmax_rows(pi);
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
  softmax_rows(pi);
  return pi;
}

Vector LogLinearSoftmax::score(const Vector& /*theta*/, const Matrix& pi,
                               const Matrix& weight) const {
  check_shape("policy", pi, {features_.rows() / actions_, actions_});
  return features_.transpose() * logit_score(pi, weight);
}

}  // namespace rgu
