// Planning and its bounds: below every policy, and not far below the best.
#include "rgu/mdp/planning.hpp"

#include <cmath>

#include "properties/drawn.hpp"
#include "rgu/global/certificate.hpp"
#include "rgu/mdp/occupancy.hpp"

namespace rgu {
namespace {

struct Planned {
  explicit Planned(const drawn::Model& drawn) : mdp(made(drawn)), rng(drawn.seed, 1) {
    const double size = std::pow(10.0, rng.uniform(-12, 12));
    cost = Matrix::NullaryExpr(mdp.states(), mdp.actions(), [&] { return size * rng.normal(); });
    offset = rng.uniform() < 0.5 ? 0 : size * rng.normal();
  }

  // What rounding, and the residual of Krylov solves, may do to (1-g) <rho, V>.
  double slack() const {
    const double largest = cost.cwiseAbs().maxCoeff() / (1 - mdp.discount()) + std::abs(offset);
    const double relative =
        256 * kEps * static_cast<double>(mdp.states() + 2) + (mdp.is_sparse() ? 2e-11 : 0);
    return relative * largest;
  }
  double value_of(const Matrix& pi) const {
    return offset + occupancy(mdp, pi).cwiseProduct(cost).sum();
  }

  FiniteMdp mdp;
  Rng rng;
  Matrix cost;
  double offset = 0;
};

RC_GTEST_PROP(PlanningProperties, BoundIsBelowEveryPolicyAndItsPlanAttainsIt,
              (const drawn::Model& drawn)) {
  Planned at(drawn);
  const PlannedBound planned = planned_bound(at.mdp, at.cost, at.offset);
  const double attained = at.value_of(deterministic_policy(planned.action, at.mdp.actions()));
  RC_ASSERT(planned.bound <= attained + at.slack());
  RC_ASSERT(attained - planned.bound <= 4 * at.slack());
  for (int k = 0; k < 10; ++k) {
    RC_ASSERT(planned.bound <= at.value_of(drawn::policy_of(at.mdp, at.rng)) + at.slack());
  }
}

RC_GTEST_PROP(PlanningProperties, ResidualOfAPlanIsItsOwn, (const drawn::Model& drawn)) {
  const Planned at(drawn);
  const Plan plan = optimal_plan(at.mdp, at.cost);
  const Matrix q = at.cost + at.mdp.discount() * at.mdp.expected_next(plan.value);
  const double residual = (plan.value - q.rowwise().minCoeff()).maxCoeff();
  RC_ASSERT(std::abs(std::max(0.0, residual) - plan.residual) <= at.slack());
  RC_ASSERT(plan.residual <= at.slack());
}

RC_GTEST_PROP(PlanningProperties, ModifiedPlanBracketsTheOptimalValue,
              (const drawn::Model& drawn)) {
  const Planned at(drawn);
  const ModifiedPlan modified = modified_policy_iteration(at.mdp, at.cost, {.iterations = 200});
  const Plan plan = optimal_plan(at.mdp, at.cost);
  const double g = at.mdp.discount();
  const double slack = 2 * at.slack() / (1 - g);
  const Vector low = modified.value.array() + modified.lowest / (1 - g);
  const Vector high = modified.value.array() + modified.highest / (1 - g);
  RC_ASSERT((low - plan.value).maxCoeff() <= slack);
  RC_ASSERT((plan.value - high).maxCoeff() <= slack);
}

}  // namespace
}  // namespace rgu
