// A semidefinite program whose matrices have rank one, by a primal-dual interior-point method.
#pragma once

#include <Eigen/Cholesky>

#include "rgu/base/types.hpp"

namespace rgu {

// maximise t - nu over lambda (n) >= 0, nu >= 0 and t, subject to B'lambda = source and
//   F(lambda, nu, t) = sum_i lambda_i v_i v_i' + nu E2 - t E1  positive semidefinite,
// where E1 is the identity on the first `first` of the D coordinates and E2 on the others.
struct RankOneProgram {
  Eigen::MatrixXd vectors;  // v_i: (D, n)
  Matrix constraints;       // B: (n, m), of full column rank
  Vector source;            // (m)
  Index first = 0;          // 1 <= first <= D
};

// The dual: minimise <source, y> over y, Z positive semidefinite and slack >= 0 subject to
//   (B y)_i = v_i'Z v_i + slack_i,   tr Z11 = 1,   tr Z22 + slack_nu = 1.
struct RankOneStart {
  Vector lambda;  // (n), > 0; the equations need not hold
  Vector y;       // (m), such that (B y)_i > v_i'Z v_i with Z = diag(I/first, I/(2 (D - first)))
  double level;   // > 0: the start has nu = level, t = -level
};

// Mehrotra's predictor and corrector with the direction of [HelmbergRendlVanderbeiWolkowicz1996].
// Linearised there, F Z = tau I gives the Hessian (v_i'F^-1 v_j)(v_i'Z v_j) in lambda: two matrix
// products and an entrywise one.
class RankOneInteriorPoint {
 public:
  // Keeps a reference to the program.
  RankOneInteriorPoint(const RankOneProgram& program, const RankOneStart& start);

  // One step. False, and nothing changes, where rounding allows no more.
  bool advance();

  auto lambda() const { return x_.head(size_); }
  const Eigen::MatrixXd& dual() const { return z_; }  // Z: (D, D), positive definite
  // t - nu, and how far above the optimum may be, both only up to the residuals of the equations.
  double objective() const { return x_(size_ + 1) - x_(size_); }
  double gap() const;

 private:
  struct Direction {
    Vector x, slack, y;
    Eigen::MatrixXd f, z;
  };
  struct System;

  Eigen::MatrixXd combined(const Vector& x) const;         // F, linear in x
  Vector coefficients(const Eigen::MatrixXd& dual) const;  // its adjoint
  Eigen::MatrixXd hessian(const Eigen::MatrixXd& inverse) const;
  Direction direction(const System& system, double target, const Direction* predicted) const;
  System newton_system() const;
  double primal_step(const Direction& move) const;
  double dual_step(const Direction& move) const;
  bool move_to(const Vector& x, const Eigen::MatrixXd& z);

  const RankOneProgram& program_;
  Index size_;               // n
  Matrix extended_;          // B with zero rows for nu and t
  Eigen::MatrixXd squares_;  // B B': (n, n)
  Vector x_;                 // (lambda, nu, t): (n + 2)
  Vector slack_;             // of lambda and nu, 0 for t: (n + 2)
  Vector y_;                 // (m)
  Eigen::MatrixXd f_, z_;
  Eigen::LLT<Eigen::MatrixXd> f_factor_, z_factor_;
};

}  // namespace rgu
