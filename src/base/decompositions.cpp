#include "rgu/base/decompositions.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "rgu/base/blas_setup.hpp"
#include "rgu/base/check.hpp"

extern "C" void dgesdd_(const char* job, const int* m, const int* n, double* a, const int* lda,
                        double* s, double* u, const int* ldu, double* vt, const int* ldvt,
                        double* work, const int* lwork, int* iwork, int* info);

namespace rgu {

namespace {

constexpr Index kRotated = 16;  // columns up to which Jacobi rotations are quicker than LAPACK

SingularValues by_rotations(const Eigen::MatrixXd& matrix, unsigned options) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(matrix, options);
  return {.left = svd.matrixU(), .values = svd.singularValues(), .right = svd.matrixV()};
}

SingularValues by_divide_and_conquer(Eigen::MatrixXd matrix) {
  prepare_blas();
  const int m = static_cast<int>(matrix.rows()), n = static_cast<int>(matrix.cols());
  const int k = std::min(m, n);
  SingularValues svd{.left = Eigen::MatrixXd(m, k), .values = Vector(k), .right = {}};
  Eigen::MatrixXd transposed(k, n);
  std::vector<int> integers(8 * static_cast<std::size_t>(k));
  const auto decompose = [&](double* room, int size) {
    int info = 0;
    dgesdd_("S", &m, &n, matrix.data(), &m, svd.values.data(), svd.left.data(), &m,
            transposed.data(), &k, room, &size, integers.data(), &info);
    if (info != 0) throw NotConverged("singular values of a matrix were not found");
  };
  double best_size = 0;
  decompose(&best_size, -1);  // asks how much room it wants
  std::vector<double> room(static_cast<std::size_t>(best_size));
  decompose(room.data(), static_cast<int>(room.size()));
  svd.right = transposed.transpose();
  return svd;
}

}  // namespace

SymmetricEigen::SymmetricEigen(const Eigen::MatrixXd& matrix, int options) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix, options);
  values_ = solver.eigenvalues();
  if (options == Eigen::ComputeEigenvectors) vectors_ = solver.eigenvectors();
}

SymmetricEigen2::SymmetricEigen2(const Eigen::Matrix2d& matrix, int) {
  // tan(2 angle) = 2 b / (c - a) for [[a, b], [b, c]], with the smaller angle [GolubVanLoan2013,
  // Sec. 8.5].
  const double a = matrix(0, 0), b = matrix(1, 0), c = matrix(1, 1);
  double tangent = 0;
  if (b != 0) {
    const double ratio = (c - a) / (2 * b);
    tangent = std::copysign(1 / (std::abs(ratio) + std::hypot(ratio, 1)), ratio);
  }
  const double cosine = 1 / std::hypot(tangent, 1), sine = tangent * cosine;
  values_ << a - tangent * b, c + tangent * b;
  vectors_ << cosine, sine, -sine, cosine;
  if (values_(0) > values_(1)) {
    std::swap(values_(0), values_(1));
    vectors_.col(0).swap(vectors_.col(1));
  }
}

double least_lift(const Eigen::MatrixXd& matrix) {
  constexpr double kAccuracy = 1.01;
  double high = matrix.norm(), low = 1;  // no eigenvalue is below -|matrix|
  if (high <= 1) return 1;
  if (!std::isfinite(high)) return std::numeric_limits<double>::infinity();
  Eigen::MatrixXd lifted;
  const auto is_enough = [&](double t) {
    lifted = matrix;
    lifted.diagonal().array() += t;
    return Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>>(lifted).info() == Eigen::Success;
  };
  if (is_enough(low)) return low;
  while (high > kAccuracy * low) {
    const double middle = std::sqrt(low * high);
    (is_enough(middle) ? high : low) = middle;
  }
  return high;
}

SingularValues thin_singular_values(const Eigen::MatrixXd& matrix) {
  if (std::min(matrix.rows(), matrix.cols()) > kRotated) return by_divide_and_conquer(matrix);
  return by_rotations(matrix, Eigen::ComputeThinU | Eigen::ComputeThinV);
}

SingularValues full_singular_values(const Eigen::MatrixXd& matrix) {
  return by_rotations(matrix, Eigen::ComputeFullU | Eigen::ComputeFullV);
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
