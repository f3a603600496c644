#include "rgu/utility/marginal.hpp"

namespace rgu {

Index marginal_size(Marginal over, OccupancyShape shape) {
  return over == Marginal::kStates ? shape.states : pairs_of(shape);
}

Vector marginal(Marginal over, const Matrix& occupancy) {
  return over == Marginal::kStates ? Vector(occupancy.rowwise().sum()) : flatten(occupancy);
}

Matrix marginal_pullback(Marginal over, const Vector& gradient, OccupancyShape shape) {
  if (over == Marginal::kStates) return gradient.replicate(1, shape.actions);
  return as_matrix(gradient, shape.states, shape.actions);
}

double marginal_norm_squared(Marginal over, OccupancyShape shape) {
  return over == Marginal::kStates ? static_cast<double>(shape.actions) : 1.0;
}

}  // namespace rgu
