// Ellipsoids: weighted Euclidean balls, and general ones given by a matrix.
#pragma once

#include "rgu/base/convex_set.hpp"

namespace rgu {

// {x : sum_i weights_i (x_i - centre_i)^2 <= radius^2}.
struct WeightedBall {
  Vector centre;
  Vector weights;  // > 0
  double radius = 0;
};

// {x : (x - centre)' matrix (x - centre) <= radius^2}.
struct QuadraticBall {
  Vector centre;
  Matrix matrix;  // symmetric positive definite
  double radius = 0;
};

class Ellipsoid final : public ConvexSet {
 public:
  // Throws InvalidInput unless the centre is finite with at least one entry, the weights are
  // finite, > 0 and as many, and the radius is finite and >= 0.
  explicit Ellipsoid(WeightedBall ball);

  // As above; the matrix must be square of that size, symmetric within 1e-9 of its largest entry,
  // and its eigenvalues > 0 beyond rounding.
  explicit Ellipsoid(QuadraticBall ball);

  const Vector& centre() const { return centre_; }
  const Vector& weights() const { return weights_; }  // along the axes; the matrix' eigenvalues
  const Matrix& axes() const { return axes_; }  // orthonormal columns; empty: the coordinate axes
  double radius() const { return radius_; }

  Vector project(const Vector& point) const override;
  // With Q the matrix: centre + radius Q^-1 g / sqrt(g' Q^-1 g); g = 0: the centre.
  Vector support_point(const Vector& direction) const override;
  double diameter() const override;  // exact: 2 radius / sqrt(least weight)
  double normal_residual(const Vector& point, const Vector& direction) const override;

 private:
  void check_common() const;
  Vector to_axes(const Vector& vector) const;
  Vector from_axes(const Vector& vector) const;

  Vector centre_;
  Vector weights_;
  Matrix axes_;  // orthonormal columns; empty where the coordinate axes are meant
  double radius_;
};

}  // namespace rgu
