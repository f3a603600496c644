#include "rgu/base/lapack.hpp"

#include <utility>

#include "rgu/base/blas_setup.hpp"
#include "rgu/base/check.hpp"

extern "C" {
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
            const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
            const double* beta, double* c, const int* ldc);
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

struct Factor {
  const Eigen::MatrixXd& matrix;
  char transpose;

  Index rows() const { return transpose == 'N' ? matrix.rows() : matrix.cols(); }
  Index columns() const { return transpose == 'N' ? matrix.cols() : matrix.rows(); }
};

Eigen::MatrixXd multiplied(const Factor& a, const Factor& b) {
  prepare_blas();
  check(a.columns() == b.rows(), "factors of a product are {} x {} and {} x {}, must fit", a.rows(),
        a.columns(), b.rows(), b.columns());
  const int m = static_cast<int>(a.rows()), n = static_cast<int>(b.columns());
  const int k = static_cast<int>(a.columns());
  if (m == 0 || n == 0 || k == 0) return Eigen::MatrixXd::Zero(m, n);
  const int lda = static_cast<int>(a.matrix.rows()), ldb = static_cast<int>(b.matrix.rows());
  const double one = 1, zero = 0;
  Eigen::MatrixXd result(m, n);
  dgemm_(&a.transpose, &b.transpose, &m, &n, &k, &one, a.matrix.data(), &lda, b.matrix.data(), &ldb,
         &zero, result.data(), &m);
  return result;
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
  int info = 0;
  dgetrs_(&transpose, &n, &kOne, factor_.data(), &n, pivots_.data(), right.data(), &n, &info);
}

// Why no swaps: what is left after each step of elimination is again dominant by columns, so the
// multipliers of a column sum to at most 1 in absolute value and no entry grows beyond twice the
// largest of A. Swaps guard against growth that cannot happen here.
DominantLu::DominantLu(Index order) : order_(order) {
  check(order >= 1 && order <= kMaxOrder, "order of a small matrix is {}, must be 1 to {}", order,
        kMaxOrder);
  const Index stride = (order + kDenseWidth - 1) / kDenseWidth * kDenseWidth;
  room_.setZero(stride, 2 * order + 1);
}

SwaplessLu DominantLu::parts() const {
  // The kernels take one view for writing and for reading; only factorise writes through it.
  auto* data = const_cast<double*>(room_.data());
  const Index half = room_.rows() * order_;
  return {data, data + half, data + 2 * half, order_, room_.rows()};
}

void DominantLu::factorise() {
  const int zero = dense_kernels().factorise(parts());
  check(zero == 0, "matrix to factorise is singular: pivot {} is zero or not a number", zero);
}

DominantLu::SmallVector DominantLu::prepared(const Eigen::Ref<const Vector>& right) const {
  check_size("right-hand side", right.size(), order_);
  SmallVector x = right;
  for (Index i = order_; i < room_.rows(); ++i) x.data()[i] = 0;
  return x;
}

DominantLu::SmallVector DominantLu::solve(const Eigen::Ref<const Vector>& right) const {
  SmallVector x = prepared(right);
  dense_kernels().solve(parts(), x.data());
  return x;
}

DominantLu::SmallVector DominantLu::solve_transposed(const Eigen::Ref<const Vector>& right) const {
  SmallVector x = prepared(right);
  dense_kernels().solve_transposed(parts(), x.data());
  return x;
}

bool cholesky_in_place(Eigen::MatrixXd& matrix) {
  prepare_blas();
  const int n = checked_order(matrix);
  int info = 0;
  dpotrf_("L", &n, matrix.data(), &n, &info);
  return info == 0 && matrix.diagonal().allFinite();  // some kernels let NaN pass
}

CholeskyFactor::CholeskyFactor(ColumnMatrix matrix)
    : factor_(std::move(matrix)), positive_definite_(cholesky_in_place(factor_)) {}

Vector CholeskyFactor::solve(const Vector& right) const {
  const int n = static_cast<int>(factor_.rows());
  check_size("right-hand side", right.size(), n);
  Vector solution = right;
  int info = 0;
  dpotrs_("L", &n, &kOne, factor_.data(), &n, solution.data(), &n, &info);
  return solution;
}

Eigen::MatrixXd product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return multiplied({a, 'N'}, {b, 'N'});
}

Eigen::MatrixXd product_transposed(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return multiplied({a, 'N'}, {b, 'T'});
}

Eigen::MatrixXd transposed_product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return multiplied({a, 'T'}, {b, 'N'});
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
