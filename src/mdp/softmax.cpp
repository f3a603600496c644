#include "rgu/mdp/softmax.hpp"

#include "rgu/base/check.hpp"

namespace rgu {
namespace {

// Shifting a row by its maximum leaves the softmax as it is and keeps exp from overflowing.
void softmax_rows(Matrix& logits) {
  for (Index s = 0; s < logits.rows(); ++s) logits.row(s).array() -= logits.row(s).maxCoeff();
  logits.array() = logits.array().exp();
  for (Index s = 0; s < logits.rows(); ++s) logits.row(s) /= logits.row(s).sum();
}

// grad_logits of sum weight log pi: weight(s,a) - pi(a|s) sum_a' weight(s,a').
Matrix logit_score(const Matrix& pi, const Matrix& weight) {
  check_shape("weight", weight, {pi.rows(), pi.cols()});
  Matrix score(pi.rows(), pi.cols());
  for (Index s = 0; s < pi.rows(); ++s) {
    score.row(s) = weight.row(s) - weight.row(s).sum() * pi.row(s);
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
  return flatten(logit_score(pi, weight));
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
  return features_.transpose() * flatten(logit_score(pi, weight));
}

}  // namespace rgu
