// Euclidean projection onto the occupancies of a model.
#pragma once

#include "rgu/mdp/finite_mdp.hpp"

namespace rgu {

// argmin of |x - point|^2 / 2 over x >= 0 with E x = (1-g) rho, (S, A). See OccupancyPolytope.
Matrix project_onto_flows(const FiniteMdp& mdp, const Matrix& point);

// The same with the multipliers v (S) of the flow equations, x = max(0, point + E'v). A guess of
// them, such as those of a nearby point, shortens the work and helps where many entries are nearly
// zero; empty: none.
struct FlowProjection {
  Matrix point = {};  // (S, A)
  Vector multipliers = {};
  // No member y has <point - x, y - x> above this, up to rounding: x is within its square root of
  // the projection. 0 where the optimality conditions hold.
  double excess = 0;
};
FlowProjection project_onto_flows(const FiniteMdp& mdp, const Matrix& point, const Vector& guess);

// The same onto the tangent cone at a member: E x = 0 and x >= 0 where the member is zero.
Matrix project_onto_flow_tangents(const FiniteMdp& mdp, const Matrix& member,
                                  const Matrix& direction);

}  // namespace rgu
