// What follows from playing one policy on a spread model.
#pragma once

#include <memory>

#include "rgu/large/spread_model.hpp"

namespace rgu {

// Makes I - g P_pi, (S, S), of a policy as a matrix of its own, spread like the model, and solves
// with it and its transpose by PETSc's Krylov solvers: BiCGSTAB without preconditioner, unless
// options say otherwise (-ksp_type, -pc_type and all that belongs to them). A solver that stops
// short is started again while that helps; what is left is done by the plain iteration x += b - A
// x, which contracts by g. The residual that counts is computed anew. Keeps a reference to the
// model.
class SpreadEvaluation {
 public:
  // pi: (own, A). residual as EvaluationOptions::residual (policy_evaluation.hpp). Throws
  // InvalidInput, on all ranks, if pi is not a policy.
  SpreadEvaluation(const SpreadModel& model, Matrix pi, double residual = 1e-12);
  ~SpreadEvaluation();
  SpreadEvaluation(const SpreadEvaluation&) = delete;
  SpreadEvaluation& operator=(const SpreadEvaluation&) = delete;

  const Matrix& policy() const { return pi_; }

  Vector state_occupancy() const;                 // d, (own)
  Matrix occupancy() const;                       // d(s) pi(a|s), (own, A)
  Vector value(const Matrix& cost) const;         // V, (own)
  Matrix action_value(const Matrix& cost) const;  // Q, (own, A)

  // The same value where the residual |c_pi + g P_pi v - v|_inf need only be `tolerance`, not
  // relative, from a guess.
  Vector value_within(const Vector& policy_cost, double tolerance, const Vector& guess) const;

 private:
  struct System;
  enum class Side { kValues, kFlow };
  Vector solved(Side side, const Vector& right, double tolerance, const Vector& guess) const;

  const SpreadModel& model_;
  Matrix pi_;
  double residual_;
  std::unique_ptr<System> system_;
};

// (own): sum_a pi(a|s) cost(s, a).
Vector policy_cost(const Matrix& pi, const Matrix& cost);

// As flow_residual (occupancy.hpp), of the whole.
double flow_residual(const SpreadModel& model, const Matrix& occupancy);

}  // namespace rgu
