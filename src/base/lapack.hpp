// Dense factorisations. By OpenBLAS, whose kernels are chosen for the CPU at run time; very small
// systems by a plain loop, which at 10 x 10 takes well under half the time of the library's call.
#pragma once

#include <vector>

#include "rgu/base/types.hpp"

namespace rgu {

// P A = L U with partial pivoting; solves with A and with its transpose.
class LuFactor {
 public:
  // Column-major, as the factorisation works in place. Takes the matrix by value: move it in.
  using ColumnMatrix = Eigen::MatrixXd;

  explicit LuFactor(ColumnMatrix matrix);

  Vector solve(Vector right) const;             // A^-1 b
  Vector solve_transposed(Vector right) const;  // A^-T b

 private:
  void solve_with(char transpose, Vector& right) const;

  ColumnMatrix factor_;
  std::vector<int> pivots_;
};

// A = L L' for symmetric positive definite A; only the lower triangle of A is read.
class CholeskyFactor {
 public:
  using ColumnMatrix = Eigen::MatrixXd;

  explicit CholeskyFactor(ColumnMatrix matrix);

  // False where A was not numerically positive definite; then solve must not be called.
  bool positive_definite() const { return positive_definite_; }
  Vector solve(const Vector& right) const;

 private:
  ColumnMatrix factor_;
  bool positive_definite_ = false;
};

// rows' * rows as a column-major matrix, lower triangle only. rows: (k, n), row-major.
Eigen::MatrixXd gram_lower(const Matrix& rows);

}  // namespace rgu
