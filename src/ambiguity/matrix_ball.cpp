#include "rgu/ambiguity/matrix_ball.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rgu/ambiguity/arguments.hpp"
#include "rgu/ambiguity/normal_cone.hpp"
#include "rgu/base/decompositions.hpp"

namespace rgu {
namespace {

// Singular values come in decreasing order.
Index count_above(const SingularValues& svd, double level) {
  return (svd.values.array() > level).count();
}

// The positive semidefinite matrix nearest to the symmetric part of `square`.
Eigen::MatrixXd positive_semidefinite_part(const Eigen::MatrixXd& square) {
  const SymmetricEigen eigen(0.5 * (square + square.transpose()));
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() *
         eigen.eigenvectors().transpose();
}

// Checked here first, so that the messages name the Frobenius ball.
LpBall euclidean_ball(const Matrix& centre, double radius) {
  check_count("dimension of the Frobenius ball", centre.size());
  check_finite("centre of the Frobenius ball", centre);
  check_nonnegative("radius of the Frobenius ball", radius);
  return LpBall({.centre = flatten(centre), .radius = radius, .p = 2});
}

}  // namespace

FrobeniusBall::FrobeniusBall(Matrix centre, double radius)
    : ConvexSet(centre.size()),
      centre_(std::move(centre)),
      ball_(euclidean_ball(centre_, radius)) {}

Vector FrobeniusBall::project(const Vector& point) const { return ball_.project(point); }

Vector FrobeniusBall::support_point(const Vector& direction) const {
  return ball_.support_point(direction);
}

double FrobeniusBall::normal_residual(const Vector& point, const Vector& direction) const {
  return ball_.normal_residual(point, direction);
}

SpectralBall::SpectralBall(Matrix centre, double radius)
    : ConvexSet(centre.size()), centre_(std::move(centre)), radius_(radius) {
  check_count("dimension of the spectral ball", dimension());
  check_finite("centre of the spectral ball", centre_);
  check_nonnegative("radius of the spectral ball", radius_);
}

Matrix SpectralBall::offset_of(const Vector& point) const {
  return as_matrix(point, centre_.rows(), centre_.cols()) - centre_;
}

Vector SpectralBall::project(const Vector& point) const {
  check_argument("point", point, dimension());
  if (radius_ == 0.0) return flatten(centre_);
  const Matrix offset = offset_of(point);
  if (offset.stableNorm() <= radius_) return point;
  const SingularValues svd = thin_singular_values(offset);
  if (svd.values(0) <= radius_) return point;
  const Vector cut = svd.values.cwiseMin(radius_);
  const Matrix nearest = svd.left * cut.asDiagonal() * svd.right.transpose();
  return flatten(centre_ + nearest);
}

Vector SpectralBall::support_point(const Vector& direction) const {
  check_argument("direction", direction, dimension());
  const SingularValues svd =
      thin_singular_values(as_matrix(direction, centre_.rows(), centre_.cols()));
  const double size = static_cast<double>(std::max(centre_.rows(), centre_.cols()));
  const Index rank = count_above(svd, size * kEps * svd.values(0));
  const Matrix best = svd.left.leftCols(rank) * svd.right.leftCols(rank).transpose();
  return flatten(centre_ + radius_ * best);
}

double SpectralBall::diameter() const {
  return 2 * radius_ * std::sqrt(static_cast<double>(std::min(centre_.rows(), centre_.cols())));
}

double SpectralBall::normal_residual(const Vector& point, const Vector& direction) const {
  check_argument("point", point, dimension());
  check_argument("direction", direction, dimension());
  if (radius_ == 0.0) return 0;
  const SingularValues svd = thin_singular_values(offset_of(point));
  const double rounding = 16 * kEps * centre_.stableNorm();
  const Index active = count_above(svd, (1 - kActiveTolerance) * radius_ - rounding);
  if (active == 0) return direction.norm();
  const auto u = svd.left.leftCols(active);
  const auto v = svd.right.leftCols(active);
  const Eigen::MatrixXd g = as_matrix(direction, centre_.rows(), centre_.cols());
  const Eigen::MatrixXd s = positive_semidefinite_part(u.transpose() * g * v);
  return (g - u * s * v.transpose()).norm();
}

}  // namespace rgu
