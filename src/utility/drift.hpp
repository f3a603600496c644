// Exploration under a drifting feature map: the least-explored direction of the feature space, as
// seen through a map W that nature chooses [RGU, Sec. nonconcave-example].
#pragma once

#include "rgu/utility/utility.hpp"

namespace rgu {

struct DriftOptions {
  Index actions = 0;     // A; the number of states follows from the features
  Matrix features;       // psi: (S * A, d'), row s * A + a
  Index dimension = 0;   // d, 1 <= d <= d': the rows of W
  double smoothing = 0;  // b >= 0; 0: the plain eigenvalue
};

// f_xi(lambda) = -lmin(W M(lambda) W'), M(lambda) = sum_{s,a} lambda(s,a) psi(s,a) psi(s,a)' (d',
// d'). xi is W (d, d'), row after row. Convex in lambda for every W; nonconcave in W unless d = 1,
// where f = -W M W' is concave.
//
// At a multiple eigenvalue lmin is not differentiable: the gradients returned are those of one unit
// eigenvector, a subgradient in lambda, and no Lipschitz constant exists. smoothing = b > 0
// replaces lmin by -(1/b) log tr exp(-b W M W'), which is at most (log d)/b below lmin and smooth.
//
// Throws InvalidInput unless A >= 1, the rows of the features are a multiple of A, every feature is
// finite, 1 <= d <= d' (with d > d' the eigenvalue is 0 for every policy) and smoothing >= 0.
class Drift final : public Utility {
 public:
  explicit Drift(DriftOptions options);

  Index dimension() const { return dimension_; }                // d
  Index feature_dimension() const { return features_.cols(); }  // d'
  const Matrix& features() const { return features_; }          // (S * A, d')
  double smoothing() const { return smoothing_; }

  // M(lambda): (d', d'), symmetric. Throws InvalidInput on a wrong shape.
  Matrix second_moment(const Matrix& occupancy) const;

  UtilityGradient evaluate(const Matrix& occupancy, const Vector& nature) const override;
  UtilityTraits traits() const override;
  UtilityConstants constants(double nature_norm) const override;

 private:
  Matrix features_;
  Index dimension_;
  double smoothing_;
};

}  // namespace rgu
