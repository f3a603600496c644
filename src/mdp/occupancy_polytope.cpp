#include "rgu/mdp/occupancy_polytope.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rgu/base/check.hpp"
#include "rgu/mdp/flow_newton.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/mdp/planning.hpp"

namespace rgu {

OccupancyPolytope::OccupancyPolytope(const FiniteMdp& mdp)
    : ConvexSet(mdp.states() * mdp.actions()), mdp_(mdp) {}

Vector OccupancyPolytope::project(const Vector& point) const {
  check_dimension("point", point);
  check_finite("point", point);
  return flatten(project_onto_flows(mdp_, as_matrix(point, mdp_.states(), mdp_.actions())));
}

Vector OccupancyPolytope::support_point(const Vector& direction) const {
  check_dimension("direction", direction);
  const Matrix cost = -as_matrix(direction, mdp_.states(), mdp_.actions());
  const Plan plan = optimal_plan(mdp_, cost);
  return flatten(occupancy(mdp_, deterministic_policy(plan.action, mdp_.actions())));
}

double OccupancyPolytope::diameter() const {
  return mdp_.actions() == 1 ? 0.0 : std::numbers::sqrt2;
}

double OccupancyPolytope::normal_residual(const Vector& point, const Vector& direction) const {
  check_dimension("point", point);
  check_dimension("direction", direction);
  check_finite("direction", direction);
  return project_onto_flow_tangents(mdp_, as_matrix(point, mdp_.states(), mdp_.actions()),
                                    as_matrix(direction, mdp_.states(), mdp_.actions()))
      .norm();
}

}  // namespace rgu
