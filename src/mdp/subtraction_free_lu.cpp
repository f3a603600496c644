#include "rgu/mdp/subtraction_free_lu.hpp"

#include <utility>

#include "rgu/base/check.hpp"

namespace rgu {

SubtractionFreeLu::SubtractionFreeLu(Matrix chain, double discount)
    : factor_(std::move(chain)), pivots_(factor_.rows()) {
  const Index n = factor_.rows();
  check_size("columns of the chain", factor_.cols(), n);
  for (Index i = 0; i < n; ++i) factor_.row(i) *= discount / factor_.row(i).sum();
  Vector rest = Vector::Constant(n, 1.0 - discount);  // row sums of what is left of A
  for (Index k = n - 1; k >= 0; --k) {
    const auto row = factor_.row(k).head(k);
    pivots_(k) = rest(k) + row.sum();
    for (Index i = 0; i < k; ++i) {
      const double share = factor_(i, k) / pivots_(k);
      factor_(i, k) = share;
      if (share == 0) continue;
      factor_.row(i).head(k) += share * row;  // the diagonal is never read
      rest(i) += share * rest(k);
    }
  }
}

Vector SubtractionFreeLu::solve(Vector right) const {
  check_size("right-hand side", right.size(), pivots_.size());
  for (Index k = pivots_.size() - 1; k > 0; --k) {
    right.head(k) += right(k) * factor_.col(k).head(k);
  }
  for (Index k = 0; k < pivots_.size(); ++k) {
    right(k) = (right(k) + factor_.row(k).head(k).dot(right.head(k))) / pivots_(k);
  }
  return right;
}

Vector SubtractionFreeLu::solve_transposed(Vector right) const {
  check_size("right-hand side", right.size(), pivots_.size());
  for (Index k = pivots_.size() - 1; k >= 0; --k) {
    right(k) /= pivots_(k);
    right.head(k) += right(k) * factor_.row(k).head(k).transpose();
  }
  for (Index k = 1; k < pivots_.size(); ++k) {
    right(k) += factor_.col(k).head(k).dot(right.head(k));
  }
  return right;
}

}  // namespace rgu
