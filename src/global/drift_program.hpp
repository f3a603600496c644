// The semidefinite program of the drift utility, by a primal-dual interior-point method.
#pragma once

#include <vector>

#include "rgu/global/scaled_pair.hpp"
#include "rgu/mdp/finite_mdp.hpp"

namespace rgu {

class DriftNewton;

// maximise t - kappa e^2 over lambda >= 0 (n = S A), h (d), kappa and t, subject to the flow
// equations B'lambda = (1-g) rho and
//   F = sum_i lambda_i phi_i phi_i' - sum_{j <= d} h_j a_j a_j' + kappa sum_{j > d} a_j a_j'  and
//   G_j = [[w_j^2 h_j - t, w_j h_j], [w_j h_j, h_j + kappa]],  j <= d,  positive semidefinite.
// It has an optimum above 0 if 0 < e < w_j for all j and the phi_i span R^r.
struct DriftProgram {
  Eigen::MatrixXd features;  // phi_i: (r, n)
  Eigen::MatrixXd axes;      // a_j: (r, r), invertible
  Vector gains;              // w: (d), d <= r
  double radius = 0;         // e
  const FiniteMdp& mdp;      // all states reachable

  Index order() const { return features.rows(); }                 // r
  Index rows() const { return gains.size(); }                     // d
  Index products() const { return order() * (order() + 1) / 2; }  // of two coordinates

  Eigen::MatrixXd moment(const Vector& lambda) const;  // sum_i lambda_i phi_i phi_i'
  Vector costs(const Eigen::MatrixXd& form) const;     // its adjoint: phi_i'Q phi_i
  // What x = (h, kappa, t) adds to F, and the adjoint of that.
  Eigen::MatrixXd on_axes(const Vector& free) const;
  Vector on_free(const Eigen::MatrixXd& form) const;
  Vector balance(const Vector& y) const;       // B y
  Vector outflow(const Vector& lambda) const;  // B'lambda
  Matrix balance_matrix() const;               // B: (n, S)
};

// The dual: minimise (1-g) <rho, y> over y (S), Q (r, r), Y_j = [[a_j, b_j], [b_j, c_j]] positive
// semidefinite and slack >= 0, subject to
//   (B y)_i = phi_i'Q phi_i + slack_i,   a_j'Q a_j = w_j^2 a_j + 2 w_j b_j + c_j for j <= d,
//   sum_j a_j = 1,   sum_j c_j + sum_{j > d} a_j'Q a_j = e^2.
//
// Mehrotra's predictor and corrector with the direction of [NesterovTodd1998]. With M = sum_i
// lambda_i phi_i phi_i' as equations of their own, whose multiplier is Q, the pairs have a diagonal
// Hessian and are eliminated: what is left are normal equations in (y, Q), of order S + r (r +
// 1)/2, whatever the number of pairs (drift_newton.hpp).
class DriftProgramPoint {
 public:
  // Keeps a reference to the program. lambda > 0 (n): nearly an occupancy. It is best if sum_i
  // lambda_i phi_i phi_i' is the identity.
  DriftProgramPoint(const DriftProgram& program, Vector lambda);

  // One step. False, and nothing changes, if rounding allows no more.
  bool advance();

  const Vector& lambda() const { return lambda_; }
  Eigen::MatrixXd multiplier_factor() const { return pair_.second_factor(); }  // K: Q = K K'
  Eigen::Matrix2d multiplier(Index j) const {
    return small_[static_cast<std::size_t>(j)].second();
  }  // Y_j
  // t - kappa e^2, and how far above the optimum may be, both up to the residuals of the equations.
  double objective() const;
  double gap() const;

 private:
  struct Start;
  DriftProgramPoint(const DriftProgram& program, Start start);

  using Pair = ScaledPair<Eigen::Dynamic>;
  using SmallPair = ScaledPair<2>;
  // By how much the equations fail.
  struct Residuals {
    Vector pairs;                        // B y - phi'Q phi - slack
    Vector flow;                         // (1-g) rho - B'lambda
    Eigen::MatrixXd moment;              // F less what it must be
    Vector free;                         // of the dual equations of (h, kappa, t)
    std::vector<Eigen::Matrix2d> small;  // what G_j must be less G_j
  };
  struct Direction;

  struct StepRule {
    bool eliminate_pairs;
    double least;  // a shorter step is not made
  };
  bool step_by(const StepRule& rule);
  Residuals residuals() const;
  double error_of_step(const Residuals& before, double primal, double dual) const;
  Direction direction(const DriftNewton& newton, double target, const Direction* predicted) const;
  double primal_step(const Direction& move) const;
  double dual_step(const Direction& move) const;
  double gap_after(const Direction& move, double primal, double dual) const;

  const DriftProgram& program_;
  Vector lambda_, slack_;         // (n)
  Vector y_;                      // (S)
  Vector free_;                   // (h, kappa, t): (d + 2)
  Pair pair_;                     // F and Q
  std::vector<SmallPair> small_;  // G_j and Y_j
  Residuals residuals_;
  bool few_pairs_;  // so that their Hessian is smaller than the normal equations
};

}  // namespace rgu
