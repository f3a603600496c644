// Softmax policies: pi_theta(a|s) proportional to exp(logit_theta(s, a)).
#pragma once

#include <limits>

#include "rgu/mdp/policy.hpp"

namespace rgu {

// Over every theta, state and action [RGU, Ass. pi_theta_bound]; infinite where no bound is known.
struct PolicyConstants {
  double lipschitz = std::numeric_limits<double>::infinity();   // l_pi: |grad log pi|
  double smoothness = std::numeric_limits<double>::infinity();  // L_pi: grad log pi in theta
};

// One logit for each state and action: theta in R^{S A}, theta(s * A + a) = logit(s, a).
// |grad log pi| <= sqrt 2 and grad log pi is 1/2-Lipschitz.
class TabularSoftmax final : public PolicyClass {
 public:
  struct Sizes {
    Index states = 0;
    Index actions = 0;
  };
  explicit TabularSoftmax(Sizes sizes);

  Index dimension() const override { return sizes_.states * sizes_.actions; }
  Matrix probabilities(const Vector& theta) const override;
  Vector score(const Vector& theta, const Matrix& pi, const Matrix& weight) const override;

 private:
  Sizes sizes_;
};

// Logits linear in given features: logit(s, a) = <features.row(s * A + a), theta>.
class LogLinearSoftmax final : public PolicyClass {
 public:
  // features: (S * A, k), finite. Throws InvalidInput unless `actions` divides the rows.
  LogLinearSoftmax(Matrix features, Index actions);

  const Matrix& features() const { return features_; }
  Index actions() const { return actions_; }

  Index dimension() const override { return features_.cols(); }
  Matrix probabilities(const Vector& theta) const override;
  Vector score(const Vector& theta, const Matrix& pi, const Matrix& weight) const override;

 private:
  Matrix features_;
  Index actions_;
};

// Tabular softmax: sqrt 2 and 1/2. Log-linear softmax: D and D^2/4, D the largest distance between
// the features of two actions in one state. (grad log pi is a feature less the mean of the
// features; its derivative in theta is minus their covariance, at most a quarter of the squared
// range in any direction.) No bound is known for other classes.
PolicyConstants policy_constants(const PolicyClass& policy);

}  // namespace rgu
