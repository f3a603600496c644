#include "rgu/base/lapack.hpp"

#include "rgu/base/blas_setup.hpp"
#include "rgu/base/check.hpp"

extern "C" {
void dsyrk_(const char* uplo, const char* trans, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* beta, double* c, const int* ldc);
void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* ipiv, int* info);
void dgetrs_(const char* trans, const int* n, const int* nrhs, const double* a, const int* lda,
             const int* ipiv, double* b, const int* ldb, int* info);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dpotrs_(const char* uplo, const int* n, const int* nrhs, const double* a, const int* lda,
             double* b, const int* ldb, int* info);
}

namespace rgu {
namespace {

constexpr int kOne = 1;

int checked_order(const Eigen::MatrixXd& matrix) {
  check(matrix.rows() == matrix.cols(), "matrix to factorise is {} x {}, must be square",
        matrix.rows(), matrix.cols());
  return static_cast<int>(matrix.rows());
}

}  // namespace

LuFactor::LuFactor(ColumnMatrix matrix) : factor_(std::move(matrix)) {
  prepare_blas();
  const int n = checked_order(factor_);
  pivots_.resize(static_cast<std::size_t>(n));
  int info = 0;
  dgetrf_(&n, &n, factor_.data(), &n, pivots_.data(), &info);
  check(info == 0, "matrix to factorise is singular: pivot {} is zero", info);
}

Vector LuFactor::solve(const Vector& right) const { return solve_with('N', right); }

Vector LuFactor::solve_transposed(const Vector& right) const { return solve_with('T', right); }

Vector LuFactor::solve_with(char transpose, const Vector& right) const {
  const int n = static_cast<int>(factor_.rows());
  check_size("right-hand side", right.size(), n);
  Vector solution = right;
  int info = 0;
  dgetrs_(&transpose, &n, &kOne, factor_.data(), &n, pivots_.data(), solution.data(), &n, &info);
  return solution;
}

CholeskyFactor::CholeskyFactor(ColumnMatrix matrix) : factor_(std::move(matrix)) {
  prepare_blas();
  const int n = checked_order(factor_);
  int info = 0;
  dpotrf_("L", &n, factor_.data(), &n, &info);
  positive_definite_ = info == 0;
}

Vector CholeskyFactor::solve(const Vector& right) const {
  const int n = static_cast<int>(factor_.rows());
  check_size("right-hand side", right.size(), n);
  Vector solution = right;
  int info = 0;
  dpotrs_("L", &n, &kOne, factor_.data(), &n, solution.data(), &n, &info);
  return solution;
}

Eigen::MatrixXd gram_lower(const Matrix& rows) {
  prepare_blas();
  const int n = static_cast<int>(rows.cols());
  const int k = static_cast<int>(rows.rows());
  const double one = 1;
  const double zero = 0;
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(n, n);
  // Row-major (k, n) is column-major (n, k): gram = A A'.
  if (k > 0) dsyrk_("L", "N", &n, &k, &one, rows.data(), &n, &zero, gram.data(), &n);
  return gram;
}

}  // namespace rgu
