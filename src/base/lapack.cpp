#include "rgu/base/lapack.hpp"

#include <cmath>
#include <utility>

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

// Up to this order a plain loop beats the library.
constexpr int kSmall = 32;

// As dgetrf: L and U in place, column-major; pivots count from 1; returns 0, or the number of the
// first zero pivot.
int factorise_small(int n, double* a, int* pivots) {
  for (int k = 0; k < n; ++k) {
    double* column = a + k * n;
    int pivot = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(column[i]) > std::abs(column[pivot])) pivot = i;
    }
    pivots[k] = pivot + 1;
    if (!(std::abs(column[pivot]) > 0)) return k + 1;
    if (pivot != k) {
      for (int j = 0; j < n; ++j) std::swap(a[j * n + k], a[j * n + pivot]);
    }
    const double scale = 1 / column[k];
    for (int i = k + 1; i < n; ++i) column[i] *= scale;
    for (int j = k + 1; j < n; ++j) {
      double* other = a + j * n;
      const double factor = other[k];
      for (int i = k + 1; i < n; ++i) other[i] -= factor * column[i];
    }
  }
  return 0;
}

// A x = b: swap rows, then L, then U; by columns.
void solve_small(int n, const double* a, const int* pivots, double* x) {
  for (int k = 0; k < n; ++k) std::swap(x[k], x[pivots[k] - 1]);
  for (int k = 0; k < n; ++k) {
    for (int i = k + 1; i < n; ++i) x[i] -= x[k] * a[k * n + i];
  }
  for (int k = n - 1; k >= 0; --k) {
    x[k] /= a[k * n + k];
    for (int i = 0; i < k; ++i) x[i] -= x[k] * a[k * n + i];
  }
}

// A' x = b: U', then L', then the swaps undone; by rows of the transpose.
void solve_transposed_small(int n, const double* a, const int* pivots, double* x) {
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < k; ++i) x[k] -= a[k * n + i] * x[i];
    x[k] /= a[k * n + k];
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int i = k + 1; i < n; ++i) x[k] -= a[k * n + i] * x[i];
  }
  for (int k = n - 1; k >= 0; --k) std::swap(x[k], x[pivots[k] - 1]);
}

}  // namespace

LuFactor::LuFactor(ColumnMatrix matrix) : factor_(std::move(matrix)) {
  const int n = checked_order(factor_);
  pivots_.resize(static_cast<std::size_t>(n));
  int info = 0;
  if (n <= kSmall) {
    info = factorise_small(n, factor_.data(), pivots_.data());
  } else {
    prepare_blas();
    dgetrf_(&n, &n, factor_.data(), &n, pivots_.data(), &info);
  }
  check(info == 0, "matrix to factorise is singular: pivot {} is zero", info);
}

Vector LuFactor::solve(Vector right) const {
  solve_with('N', right);
  return right;
}

Vector LuFactor::solve_transposed(Vector right) const {
  solve_with('T', right);
  return right;
}

void LuFactor::solve_with(char transpose, Vector& right) const {
  const int n = static_cast<int>(factor_.rows());
  check_size("right-hand side", right.size(), n);
  if (n <= kSmall) {
    const auto solve = transpose == 'N' ? solve_small : solve_transposed_small;
    solve(n, factor_.data(), pivots_.data(), right.data());
    return;
  }
  int info = 0;
  dgetrs_(&transpose, &n, &kOne, factor_.data(), &n, pivots_.data(), right.data(), &n, &info);
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
