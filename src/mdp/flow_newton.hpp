// Euclidean projection onto the occupancies of a model.
#pragma once

#include "rgu/mdp/finite_mdp.hpp"

namespace rgu {

// argmin of |x - point|^2 / 2 over x >= 0 with E x = (1-g) rho, (S, A). See OccupancyPolytope.
Matrix project_onto_flows(const FiniteMdp& mdp, const Matrix& point);

}  // namespace rgu
