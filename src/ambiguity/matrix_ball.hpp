// Balls of matrices around a centre matrix. A matrix is the vector of its rows (rgu::flatten).
#pragma once

#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/base/convex_set.hpp"

namespace rgu {

// {X : |X - centre|_F <= radius}, the Frobenius norm: the Euclidean ball of the flattened matrix.
class FrobeniusBall final : public ConvexSet {
 public:
  // Throws InvalidInput unless the centre is finite and not empty and the radius finite and >= 0.
  FrobeniusBall(Matrix centre, double radius);

  const Matrix& centre() const { return centre_; }
  double radius() const { return ball_.radius(); }

  Vector project(const Vector& point) const override;
  Vector support_point(const Vector& direction) const override;
  double diameter() const override { return ball_.diameter(); }  // exact
  double normal_residual(const Vector& point, const Vector& direction) const override;

 private:
  Matrix centre_;
  LpBall ball_;
};

// {X : |X - centre|_2 <= radius}: the largest singular value of the difference.
class SpectralBall final : public ConvexSet {
 public:
  SpectralBall(Matrix centre, double radius);  // throws as FrobeniusBall does

  const Matrix& centre() const { return centre_; }
  double radius() const { return radius_; }

  // Singular values of X - centre above the radius are cut to it.
  Vector project(const Vector& point) const override;
  // centre + radius U V' from the singular vectors of the direction with a value above rounding;
  // direction 0: the centre.
  Vector support_point(const Vector& direction) const override;
  // Exact: 2 radius sqrt(min(rows, columns)).
  double diameter() const override;
  // Closed form: with U, V the singular vectors of X - centre whose value is the radius, the
  // normals are U S V' with S symmetric positive semidefinite.
  double normal_residual(const Vector& point, const Vector& direction) const override;

 private:
  Matrix offset_of(const Vector& point) const;  // the point as a matrix, less the centre

  Matrix centre_;
  double radius_;
};

}  // namespace rgu
