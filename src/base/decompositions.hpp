// Decompositions of dense matrices by Eigen, instantiated once: each takes seconds to compile.
#pragma once

#include "rgu/base/types.hpp"

namespace rgu {

// The eigenvalues of a symmetric matrix, ascending, and its eigenvectors. Only the lower triangle
// is read.
class SymmetricEigen {
 public:
  // options: Eigen::ComputeEigenvectors or Eigen::EigenvaluesOnly.
  explicit SymmetricEigen(const Eigen::MatrixXd& matrix, int options = Eigen::ComputeEigenvectors);

  const Vector& eigenvalues() const { return values_; }
  const Eigen::MatrixXd& eigenvectors() const { return vectors_; }

 private:
  Vector values_;
  Eigen::MatrixXd vectors_;
};

// The same for two rows, by one rotation and without allocation.
class SymmetricEigen2 {
 public:
  explicit SymmetricEigen2(const Eigen::Matrix2d& matrix, int options = Eigen::ComputeEigenvectors);

  const Eigen::Vector2d& eigenvalues() const { return values_; }
  const Eigen::Matrix2d& eigenvectors() const { return vectors_; }

 private:
  Eigen::Vector2d values_;
  Eigen::Matrix2d vectors_;
};

// A t with t I + matrix positive definite for a symmetric matrix: at least 1, and at most 1% above
// the least such t >= 1. By Cholesky factors, a twentieth of the work of eigenvalues each. Infinite
// if an entry is not finite.
double least_lift(const Eigen::MatrixXd& matrix);

// matrix = left diag(values) right', values descending.
struct SingularValues {
  Eigen::MatrixXd left;
  Vector values;
  Eigen::MatrixXd right;
};
SingularValues thin_singular_values(const Eigen::MatrixXd& matrix);
// left and right are square; by Jacobi rotations, which keep the relative accuracy of small values.
SingularValues full_singular_values(const Eigen::MatrixXd& matrix);

// The x of least norm among those that minimise |matrix x - right|. Singular values below
// `threshold` times the largest count as 0.
Vector least_squares(const Eigen::MatrixXd& matrix, const Vector& right, double threshold);
// The same for a matrix of full column rank.
Vector least_squares(const Eigen::MatrixXd& matrix, const Vector& right);

// An orthonormal basis of the span of the columns; pivots below `threshold` times the largest count
// as 0.
Eigen::MatrixXd orthonormal_basis(const Eigen::MatrixXd& columns, double threshold);

// The upper triangle R of matrix = Q R, for a matrix with at least as many rows as columns.
Eigen::MatrixXd triangular_factor(const Eigen::MatrixXd& matrix);

}  // namespace rgu
