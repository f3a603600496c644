// Which masses of an occupancy a utility looks at.
#pragma once

#include "rgu/utility/utility.hpp"

namespace rgu {

// kStates: d(s) = sum_a lambda(s, a). kStateActions: lambda(s, a) itself.
enum class Marginal { kStates, kStateActions };

// The number of masses: S or S * A.
Index marginal_size(Marginal over, OccupancyShape shape);

// The masses: (S) or (S * A).
Vector marginal(Marginal over, const Matrix& occupancy);

// (S, A): the gradient in lambda of a function whose gradient in the masses is `gradient`.
Matrix marginal_pullback(Marginal over, const Vector& gradient, OccupancyShape shape);

// The squared norm of the linear map from lambda to the masses: A over states, for then every mass
// is a sum of A entries and no entry is in two of them; 1 over state-actions.
double marginal_norm_squared(Marginal over, OccupancyShape shape);

}  // namespace rgu
