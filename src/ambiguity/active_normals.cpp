#include "rgu/ambiguity/active_normals.hpp"

#include <Eigen/Jacobi>
#include <algorithm>
#include <cmath>

namespace rgu {

ActiveNormals::ActiveNormals(Index dimension)
    : q_(Eigen::MatrixXd::Identity(dimension, dimension)),
      r_(Eigen::MatrixXd::Zero(dimension, dimension)) {}

double ActiveNormals::least_angle() const {
  double least = 1;
  for (Index j = 0; j < count_; ++j) {
    least = std::min(least, std::abs(r_(j, j)) / r_.col(j).head(j + 1).norm());
  }
  return least;
}

ActiveNormals::Split ActiveNormals::split(const Vector& vector) const {
  const Vector d = q_.transpose() * vector;
  const Index rest = d.size() - count_;
  return {.coefficients = corner().triangularView<Eigen::Upper>().solve(d.head(count_)),
          .normal_part = q_.rightCols(rest) * d.tail(rest)};
}

ActiveNormals::LeastNorm ActiveNormals::least_norm(const Vector& right) const {
  const Vector w = corner().transpose().triangularView<Eigen::Lower>().solve(right);
  return {.vector = q_.leftCols(count_) * w,
          .multipliers = corner().triangularView<Eigen::Upper>().solve(w)};
}

// Rotations of the unused columns of Q gather the new vector's rest in the first of them.
void ActiveNormals::add(const Vector& vector) {
  Vector d = q_.transpose() * vector;
  for (Index i = d.size() - 1; i > count_; --i) {
    Eigen::JacobiRotation<double> rotation;
    double length = 0;
    rotation.makeGivens(d(i - 1), d(i), &length);
    d(i - 1) = length;
    d(i) = 0;
    q_.applyOnTheRight(i - 1, i, rotation);
  }
  r_.col(count_) = d;
  ++count_;
}

// Without its column R is upper Hessenberg from there on: rotations make it triangular again.
void ActiveNormals::remove(Index position) {
  for (Index j = position; j + 1 < count_; ++j) r_.col(j) = r_.col(j + 1);
  --count_;
  r_.col(count_).setZero();
  for (Index j = position; j < count_; ++j) {
    Eigen::JacobiRotation<double> rotation;
    rotation.makeGivens(r_(j, j), r_(j + 1, j));
    r_.applyOnTheLeft(j, j + 1, rotation.adjoint());
    r_(j + 1, j) = 0;
    q_.applyOnTheRight(j, j + 1, rotation);
  }
}

}  // namespace rgu
