// A pair of positive definite matrices in the coordinates of Nesterov and Todd.
#pragma once

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "rgu/base/decompositions.hpp"
#include "rgu/base/lapack.hpp"
#include "rgu/base/types.hpp"

namespace rgu {

// As the products of lapack.hpp, without a call.
inline Eigen::Matrix2d product(const Eigen::Matrix2d& a, const Eigen::Matrix2d& b) { return a * b; }
inline Eigen::Matrix2d product_transposed(const Eigen::Matrix2d& a, const Eigen::Matrix2d& b) {
  return a * b.transpose();
}
inline Eigen::Matrix2d transposed_product(const Eigen::Matrix2d& a, const Eigen::Matrix2d& b) {
  return a.transpose() * b;
}

// F and Q, positive definite of one order, kept as F = P S P' and Q = P^-T S P^-1 with S diagonal
// [NesterovTodd1998]. A move dF is P^-1 dF P^-T in these coordinates and dQ is P' dQ P. S stays
// well conditioned near the central path however singular F and Q get, so rounding cannot make them
// indefinite. N: the order, 2 or Eigen::Dynamic.
template <int N>
class ScaledPair {
 public:
  using Square = Eigen::Matrix<double, N, N>;
  using Eigenvectors = std::conditional_t<N == 2, SymmetricEigen2, SymmetricEigen>;

  // Both must be positive definite.
  ScaledPair(const Square& first, const Square& second)
      : to_first_(Square::Identity(first.rows(), first.cols())), from_first_(to_first_) {
    move_to(first, second);
  }

  // F and Q become P `first` P' and P^-T `second` P^-1. False, and nothing changes, unless both are
  // positive definite.
  bool move_to(const Square& first, const Square& second) {
    const Eigen::LLT<Square> one(first), other(second);
    if (one.info() != Eigen::Success || other.info() != Eigen::Success) return false;
    const Square lower = one.matrixL();
    const Square upper = other.matrixU();
    const Square joint = product(upper, lower);
    const Eigenvectors eigen(transposed_product(joint, joint));
    if (!(eigen.eigenvalues()(0) > 0)) return false;
    const Values values = eigen.eigenvalues().cwiseSqrt();
    const Values roots = values.cwiseSqrt();
    const Square turned = product(lower, eigen.eigenvectors());
    to_first_ = product(to_first_, Square(turned * roots.cwiseInverse().asDiagonal()));
    one.matrixL().solveInPlace(from_first_);
    const Square seen = transposed_product(eigen.eigenvectors(), from_first_);
    from_first_ = roots.asDiagonal() * seen;
    values_ = values;
    return true;
  }

  Square first() const { return from_scaled_first(Square(values_.asDiagonal())); }
  Square second() const {
    return transposed_product(from_first_, Square(values_.asDiagonal() * from_first_));
  }
  Square second_factor() const {  // K: Q = K K'
    return from_first_.transpose() * values_.cwiseSqrt().asDiagonal();
  }
  double gap() const { return values_.squaredNorm(); }  // <F, Q>
  Index order() const { return values_.size(); }

  Square scaled() const { return Square(values_.asDiagonal()); }  // S
  Square scaled_first(const Square& move) const {
    return product_transposed(product(from_first_, move), from_first_);
  }
  Square scaled_second(const Square& move) const {
    return transposed_product(to_first_, product(move, to_first_));
  }
  Square from_scaled_first(const Square& move) const {
    return product_transposed(product(to_first_, move), to_first_);
  }
  Square from_scaled_second(const Square& move) const {
    return transposed_product(from_first_, product(move, from_first_));
  }
  const Square& to_first() const { return to_first_; }      // P
  const Square& from_first() const { return from_first_; }  // P^-1

  // An a <= 1 with S + a move positive semidefinite: the largest, or at most 1% below it.
  double step(const Square& move) const {
    const Values roots = values_.cwiseSqrt().cwiseInverse();
    const Square relative = roots.asDiagonal() * move * roots.asDiagonal();
    if constexpr (N == 2) {
      const SymmetricEigen2 eigen(relative);
      return std::min(1.0, 1 / std::max(-eigen.eigenvalues()(0), 1e-300));
    } else {
      return 1 / least_lift(relative);
    }
  }

  // R, the sum of the scaled moves of F and Q, that leads to F Q = target I in first order.
  Square centring(double target) const {
    return Square(Values(target * values_.cwiseInverse() - values_).asDiagonal());
  }
  // The same in second order, at the moves that were predicted.
  Square centring(double target, const Square& first, const Square& second) const {
    const Square joint = product(first, second);
    Square result = centring(target);
    for (Index j = 0; j < order(); ++j) {
      for (Index i = 0; i < order(); ++i) {
        result(i, j) -= (joint(i, j) + joint(j, i)) / (values_(i) + values_(j));
      }
    }
    return result;
  }

 private:
  using Values = Eigen::Matrix<double, N, 1>;

  Square to_first_;    // P
  Square from_first_;  // P^-1
  Values values_;      // the diagonal of S
};

}  // namespace rgu
