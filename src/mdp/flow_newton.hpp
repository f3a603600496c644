// Euclidean projection onto the occupancies of a model.
#pragma once

#include "rgu/mdp/finite_mdp.hpp"

namespace rgu {

// argmin of |x - point|^2 / 2 over x >= 0 with E x = (1-g) rho, (S, A). See OccupancyPolytope.
Matrix project_onto_flows(const FiniteMdp& mdp, const Matrix& point);

// The same onto the tangent cone at a member: E x = 0 and x >= 0 where the member is zero.
Matrix project_onto_flow_tangents(const FiniteMdp& mdp, const Matrix& member,
                                  const Matrix& direction);

}  // namespace rgu
