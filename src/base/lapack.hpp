// Dense factorisations. By OpenBLAS, whose kernels are chosen for the CPU at run time; small
// systems of policy evaluation by loops of our own, several times faster there than a call of the
// library.
#pragma once

#include <vector>

#include "rgu/base/dense_kernels.hpp"
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

// A = L D U without row swaps, for a small A that is strictly diagonally dominant by columns:
// |a_kk| > sum over i != k of |a_ik|. There elimination without swaps is as stable as with them.
// The dominance is not checked; on other matrices the result may be inaccurate. Allocates nothing:
// an object takes 17 kB.
class DominantLu {
 public:
  static constexpr Index kMaxOrder = 32;
  // A vector with room for kMaxOrder entries inside, so that making one allocates nothing.
  using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kMaxOrder, 1>;

  // fill(columns, stride) writes column k of A to columns + k * stride, k < order, and leaves the
  // zeros after it. Throws InvalidInput unless 1 <= order <= kMaxOrder, and where a pivot is zero
  // or NaN.
  template <class Fill>
  DominantLu(Index order, const Fill& fill) : DominantLu(order) {
    fill(room_.data(), room_.rows());
    factorise();
  }

  SmallVector solve(const Eigen::Ref<const Vector>& right) const;             // A^-1 b
  SmallVector solve_transposed(const Eigen::Ref<const Vector>& right) const;  // A^-T b

 private:
  explicit DominantLu(Index order);
  void factorise();
  SwaplessLu parts() const;
  // The right-hand side, checked and followed by zeros up to a whole number of words.
  SmallVector prepared(const Eigen::Ref<const Vector>& right) const;

  // (stride, 2 n + 1), inside the object: the factors, the factors transposed, the reciprocal
  // pivots.
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, kMaxOrder,
                2 * kMaxOrder + 1>
      room_;
  Index order_;
};

// Replaces the lower triangle of a symmetric matrix by L with A = L L'; only that triangle is read.
// False where A was not numerically positive definite; then it holds nothing of use.
bool cholesky_in_place(Eigen::MatrixXd& matrix);

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

// Dense products by OpenBLAS: a b, a b' and a'b.
Eigen::MatrixXd product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);
Eigen::MatrixXd product_transposed(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);
Eigen::MatrixXd transposed_product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

// rows' * rows as a column-major matrix, lower triangle only. rows: (k, n), row-major.
Eigen::MatrixXd gram_lower(const Matrix& rows);

}  // namespace rgu
