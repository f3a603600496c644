// The linear system of one step of the interior-point method for the drift utility.
#pragma once

#include <optional>

#include "rgu/global/constrained_newton.hpp"
#include "rgu/global/drift_program.hpp"

namespace rgu {

// In dlambda (n), dy (S), dQ (r, r) symmetric and dx = d(h, kappa, t) (d + 2):
//   dlambda / theta + B dy - phi'dQ phi = pairs        sum dlambda phi phi' + A(dx) + W dQ W =
//   moment B'dlambda = flow                                   H dx - A*(dQ) = free
// with W = P P', H = R'R and A(x) = -sum_{j <= d} h_j a_j a_j' + kappa sum_{j > d} a_j a_j'.
//
// Two eliminations solve it. That of dlambda and dx leaves normal equations in (dy, dQ) of order S
// + r (r + 1)/2. That of dQ leaves a Hessian in (dlambda, dx) of order n + d + 2 under the flow
// equations: less work for few pairs, but it loses twice as many digits as F gets singular.
class DriftNewton {
 public:
  enum class Elimination { kPairs, kMoment };

  struct Coefficients {
    Vector theta;             // > 0: (n)
    Eigen::MatrixXd scaling;  // P: (r, r)
    Eigen::MatrixXd inverse;  // P^-1
    Eigen::MatrixXd root;     // R: (d + 2, d + 2), upper triangular
  };
  struct Side {
    Vector pairs, flow;
    Eigen::MatrixXd moment;
    Vector free;
  };
  struct Solution {
    Vector lambda, y;
    Eigen::MatrixXd second;  // dQ
    Vector free;
  };

  // Keeps a reference to the program.
  DriftNewton(const DriftProgram& program, Coefficients coefficients, Elimination elimination);

  // False if a factorisation failed; then solve must not be called.
  bool solvable() const { return solvable_; }
  // With iterative refinement where the pairs are eliminated.
  Solution solve(const Side& side) const;

 private:
  Eigen::MatrixXd normal_matrix() const;
  void factorise_normal_matrix();
  void factorise_hessian();
  Solution solve_by_equations(const Side& side) const;
  Solution solve_by_pairs(const Side& side) const;
  Side residual(const Side& side, const Solution& at) const;

  const DriftProgram& program_;
  Coefficients at_;
  bool solvable_ = false;
  Eigen::MatrixXd metric_;  // W, or W^-1 if dQ is eliminated
  // Elimination of the pairs.
  Eigen::MatrixXd links_;   // A R^-1, packed: (r (r + 1)/2, d + 2)
  Eigen::MatrixXd factor_;  // L, below and on the diagonal: the normal matrix is L L'
  // Elimination of dQ.
  Matrix balance_;     // B, and zero rows for dx: (n + d + 2, S)
  double weight_ = 0;  // of B B' in the Hessian
  std::optional<ConstrainedNewton> newton_;
};

// A symmetric matrix as the vector of its upper triangle, with what is off the diagonal times
// sqrt(2): an isometry.
Vector packed(const Eigen::MatrixXd& matrix);
Eigen::MatrixXd unpacked(const Vector& entries, Index order);

}  // namespace rgu
