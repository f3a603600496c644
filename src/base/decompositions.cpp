#include "rgu/base/decompositions.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace rgu {

namespace {

template <class Decomposition>
SingularValues parts_of(const Decomposition& svd) {
  return {.left = svd.matrixU(), .values = svd.singularValues(), .right = svd.matrixV()};
}

}  // namespace

SymmetricEigen::SymmetricEigen(const Eigen::MatrixXd& matrix, int options) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix, options);
  values_ = solver.eigenvalues();
  if (options == Eigen::ComputeEigenvectors) vectors_ = solver.eigenvectors();
}

SingularValues thin_singular_values(const Eigen::MatrixXd& matrix) {
  return parts_of(
      Eigen::BDCSVD<Eigen::MatrixXd>(matrix, Eigen::ComputeThinU | Eigen::ComputeThinV));
}

SingularValues full_singular_values(const Eigen::MatrixXd& matrix) {
  return parts_of(
      Eigen::JacobiSVD<Eigen::MatrixXd>(matrix, Eigen::ComputeFullU | Eigen::ComputeFullV));
}

Vector least_squares(const Eigen::MatrixXd& matrix, const Vector& right, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
  solver.setThreshold(threshold).compute(matrix);
  return solver.solve(right);
}

Vector least_squares(const Eigen::MatrixXd& matrix, const Vector& right) {
  return Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(matrix).solve(right);
}

Eigen::MatrixXd orthonormal_basis(const Eigen::MatrixXd& columns, double threshold) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(columns);
  qr.setThreshold(threshold);
  return Eigen::MatrixXd(qr.householderQ()).leftCols(qr.rank());
}

Eigen::MatrixXd triangular_factor(const Eigen::MatrixXd& matrix) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(matrix);
  return qr.matrixQR().topRows(matrix.cols()).triangularView<Eigen::Upper>();
}

}  // namespace rgu
