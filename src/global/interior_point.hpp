// A primal-dual interior-point method for separable convex programs.
#pragma once

#include "rgu/global/convex_program.hpp"

namespace rgu {

// Mehrotra's predictor and corrector [Mehrotra1992] for linear and quadratic programs; with other
// smooth terms both players take one step, shortened until the residuals of the optimality
// conditions fall. Every step solves normal equations of the order of the rows by a Cholesky
// factor; the ceilings x_j <= t add to the diagonal and one vector to them. Numbers are counted in
// units of the cost, so that scales do not matter.
class InteriorPoint {
 public:
  // Keeps a reference to the program. `start`: (n), entries that are not free are lifted above 0.
  InteriorPoint(const ConvexProgram& program, const Vector& start);

  // One step. False, and nothing changes, where rounding allows no more.
  bool advance();

  ProgramPoint point() const;  // in the units of the program
  double unit() const { return unit_; }
  // How far the objective is above the optimum, up to the residuals; in `unit`s.
  double gap() const;
  // Residuals of rows x = right, and of the dual equations relative to the largest cost.
  double primal_residual() const { return primal_.lpNorm<Eigen::Infinity>(); }
  double dual_residual() const;

 private:
  struct Direction {
    Vector x, z, y, w;
    double t = 0;
  };
  struct System;

  void correct(const System& system, double price, double enough, Direction& move) const;

  void measure();
  void balance();
  double infeasibility() const;
  Direction direction(const System& system, double target, const Direction* predicted) const;
  struct Steps {
    double primal = 1;
    double dual = 1;
  };
  Steps longest(const Direction& move) const;
  void move_by(const Direction& move, Steps steps);
  double merit(double target) const;
  double complementarity() const;  // mean of the products
  Eigen::MatrixXd normal_matrix(const Vector& theta) const;

  const ConvexProgram& program_;
  double unit_ = 1;      // of the cost
  bool linear_ = false;  // no smooth terms
  bool gentle_ = false;  // smooth terms beyond squares
  Index bounded_ = 0;    // number of products
  Matrix dense_;         // the rows, where they are not sparse
  Vector cost_;          // in units
  double price_ = 0;
  // The point: z is 0 where x is free.
  Vector x_, z_, y_, w_;
  double t_ = 0;
  // What measure() finds at the point.
  Vector slope_, curvature_, dual_, primal_;
  double price_residual_ = 0;
  struct {
    double infeasibility = 0;
    double product = 1;
  } first_;  // at the start
};

}  // namespace rgu
