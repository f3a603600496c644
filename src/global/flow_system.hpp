// The normal equations of an interior-point method on the occupancy polytope, without a matrix.
#pragma once

#include "rgu/global/envelope_model.hpp"

namespace rgu {

// The flow equations A lambda = (1-g) start, (A lambda)(s) = sum_a lambda(s,a) - g sum P lambda.
Vector flow_of(const EnvelopeModel& model, const Matrix& occupancy);  // A lambda
Matrix gains_of(const EnvelopeModel& model, const Vector& value);     // A'v: v(s) - g (P v)(s,a)

// diag(diagonal) - b b' / <b, idle>, b = stiffness * idle, with diagonal = barrier + stiffness: a
// curvature that a move along `idle` does not feel but for the barrier. A move along it is free
// where b = 0.
struct Curvature {
  Matrix barrier;    // > 0
  Matrix stiffness;  // >= 0
  Matrix idle;       // > 0
};

// A C^-1 A' with C such a curvature.
class FlowSystem {
 public:
  // Keeps a reference to the model.
  FlowSystem(const EnvelopeModel& model, const Curvature& curvature);

  Matrix divided(const Matrix& right) const;  // C^-1 right

  struct Solution {
    Vector value;
    int products = 0;
  };
  // Conjugate gradients with the diagonal as preconditioner [HestenesStiefel1952], from `guess`
  // (empty: 0), until the residual r has sum r(s)^2 / weight(s) <= tolerance^2. Constants are
  // deflated [Saad2000]: A'1 = (1-g) 1 makes them the slowest to converge near discount 1, and the
  // residual they leave would be mass that is missing.
  Solution solve(const Vector& right, const Vector& guess, const Vector& weight,
                 double tolerance) const;

 private:
  Vector product(const Vector& value) const;

  const EnvelopeModel& model_;
  Matrix inverse_;    // of the diagonal
  Matrix border_;     // inverse b
  Vector column_;     // A border
  double pivot_ = 0;  // of the rank-one term; 0: there is none
  Vector diagonal_;   // of the product, roughly
  // The product with a constant, and <1, that>.
  Vector constant_image_;
  double constant_bend_ = 0;
};

}  // namespace rgu
