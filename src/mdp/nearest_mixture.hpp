// Euclidean projection onto the occupancies of a model, by mixing occupancies of policies.
#pragma once

#include "rgu/mdp/finite_mdp.hpp"

namespace rgu {

struct NearestMixture {
  Matrix point = {};  // (S, A): a member of Lambda up to the rounding of its entries
  // max over members y of <target - point, y - point>, up to rounding, never negative: `point` is
  // within its square root of the projection.
  double excess = 0;
};

// argmin of |x - target|^2 / 2 over mixtures of occupancies: Wolfe's method for the nearest point
// of a polytope [Wolfe1976], from the member `start`, with a plan for each new vertex. All it does
// with the flow equations is to evaluate policies, so its points are members at every discount,
// where equations of transient states that lead to several recurrent classes have no accuracy left
// to solve them by. Costs a plan for each vertex of the face that holds the projection. Stops when
// no vertex helps beyond rounding, or after `rounds` vertices.
NearestMixture nearest_mixture(const FiniteMdp& mdp, const Matrix& target, const Matrix& start,
                               int rounds);

}  // namespace rgu
