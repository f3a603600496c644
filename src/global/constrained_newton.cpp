#include "rgu/global/constrained_newton.hpp"

#include <utility>

#include "rgu/base/check.hpp"

extern "C" {
void dtrsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m,
            const int* n, const double* alpha, const double* a, const int* lda, double* b,
            const int* ldb);
}

namespace rgu {
namespace {

// L^-1 B. A row-major B is its transpose in the eyes of BLAS: X L' = B' is solved.
Matrix forward_solved(const Eigen::MatrixXd& factor, Matrix right) {
  const int n = static_cast<int>(factor.rows());
  const int m = static_cast<int>(right.cols());
  const double one = 1;
  dtrsm_("R", "L", "T", "N", &m, &n, &one, factor.data(), &n, right.data(), &m);
  return right;
}

}  // namespace

ConstrainedNewton::ConstrainedNewton(Eigen::MatrixXd hessian, Matrix constraints)
    : factor_(std::move(hessian)),
      factorised_(cholesky_in_place(factor_)),
      half_(forward_solved(factor_, std::move(constraints))),
      schur_(gram_lower(half_)) {}

ConstrainedNewton::Solution ConstrainedNewton::solve(const Vector& g, const Vector& h) const {
  const auto lower = factor_.triangularView<Eigen::Lower>();
  const Vector seen = lower.solve(g);
  Solution solution;
  solution.y = schur_.solve(half_.transpose() * seen - h);
  solution.x = lower.transpose().solve(seen - half_ * solution.y);
  return solution;
}

}  // namespace rgu
