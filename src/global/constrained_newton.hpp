// The linear system of a Newton step under equality constraints.
#pragma once

#include "rgu/base/lapack.hpp"
#include "rgu/base/types.hpp"

namespace rgu {

// Solves  H x + B y = g,  B'x = h  for H (n, n) symmetric positive definite and B (n, m) of full
// column rank, by the Cholesky factor of H and that of B' H^-1 B.
class ConstrainedNewton {
 public:
  // Only the lower triangle of H is read. Takes both by value: move them in.
  ConstrainedNewton(Eigen::MatrixXd hessian, Matrix constraints);

  // False where a factorisation failed; then solve must not be called.
  bool solvable() const { return factorised_ && schur_.positive_definite(); }

  struct Solution {
    Vector x;  // (n)
    Vector y;  // (m)
  };
  Solution solve(const Vector& g, const Vector& h) const;

 private:
  Eigen::MatrixXd factor_;  // L: H = L L'
  bool factorised_;
  Matrix half_;  // L^-1 B: (n, m)
  CholeskyFactor schur_;
};

}  // namespace rgu
