#include "rgu/large/spread_planning.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "rgu/base/check.hpp"
#include "rgu/mdp/planning.hpp"

namespace rgu {
namespace {

constexpr Index kPatience = 20;  // improvements without progress: rounding has won

// Greedy actions for plan.value, with the bounds. Returns min_a Q, (own).
Vector improve(const SpreadModel& model, const Matrix& cost, SpreadPlan& plan) {
  const Matrix q = cost + model.discount() * model.expected_next(plan.value);
  Vector least(q.rows());
  std::array<double, 2> extremes = {-std::numeric_limits<double>::infinity(),
                                    -std::numeric_limits<double>::infinity()};
  for (Index s = 0; s < q.rows(); ++s) {
    least(s) = q.row(s).minCoeff(&plan.action[static_cast<std::size_t>(s)]);
    const double change = least(s) - plan.value(s);
    extremes[0] = std::max(extremes[0], change);
    extremes[1] = std::max(extremes[1], -change);
  }
  model.ranks().largest(extremes);
  plan.highest = extremes[0];
  plan.lowest = -extremes[1];
  ++plan.improvements;
  return least;
}

struct Goal {
  PlanMeasure measure;
  double most;  // what is small enough

  double of(const SpreadPlan& plan) const {
    return measure == PlanMeasure::kSpan ? plan.span() : plan.residual();
  }
};

Goal goal_of(const SpreadModel& model, const Matrix& cost, const SpreadPlanOptions& options) {
  check_shape("cost", cost, {model.own().size(), model.actions()});
  const double own = cost.size() > 0 ? cost.cwiseAbs().maxCoeff() : 0.0;
  // A NaN would be lost in a maximum.
  const double scale = largest(model.ranks(), cost.allFinite() ? own : HUGE_VAL);
  check(std::isfinite(scale), "cost has an entry that is not finite");
  check_positive("tolerance", options.tolerance);
  check_count("iterations", options.iterations);
  check(options.forcing > 0 && options.forcing < 1, "forcing is {}, must be in (0, 1)",
        options.forcing);
  return {.measure = options.measure, .most = options.tolerance * scale};
}

SpreadPlan first_plan(const SpreadModel& model, const SpreadPlanOptions& options) {
  SpreadPlan plan;
  plan.action.resize(static_cast<std::size_t>(model.own().size()));
  plan.value =
      options.start.size() == model.own().size() ? options.start : Vector::Zero(model.own().size());
  return plan;
}

// Improves until the goal is reached; in between, next(least) sets plan.value.
template <class Next>
SpreadPlan iterated(const SpreadModel& model, const Matrix& cost, const SpreadPlanOptions& options,
                    Index patience, const Next& next) {
  const Goal goal = goal_of(model, cost, options);
  SpreadPlan plan = first_plan(model, options);
  double best = std::numeric_limits<double>::infinity();
  Index stalled = 0;
  while (true) {
    const Vector least = improve(model, cost, plan);
    const double measure = goal.of(plan);
    stalled = measure < 0.999 * best ? 0 : stalled + 1;
    best = std::min(best, measure);
    plan.reached = measure <= goal.most;
    if (plan.reached || stalled > patience || plan.improvements >= options.iterations) return plan;
    next(plan, least, goal);
  }
}

}  // namespace

SpreadPlan spread_policy_iteration(const SpreadModel& model, const Matrix& cost,
                                   const SpreadPlanOptions& options) {
  const auto evaluate = [&](SpreadPlan& plan, const Vector& least, const Goal& goal) {
    const Matrix pi = deterministic_policy(plan.action, model.actions());
    const SpreadEvaluation evaluation(model, pi);
    const double tolerance = std::max(options.forcing * goal.of(plan), 0.1 * goal.most);
    plan.value = evaluation.value_within(policy_cost(pi, cost), tolerance, least);
  };
  return iterated(model, cost, options, kPatience, evaluate);
}

SpreadPlan spread_value_iteration(const SpreadModel& model, const Matrix& cost,
                                  const SpreadPlanOptions& options) {
  const auto take = [](SpreadPlan& plan, const Vector& least, const Goal&) { plan.value = least; };
  // It falls by g each time at worst: slow is not stalled.
  const Index patience = kPatience + static_cast<Index>(std::ceil(1 / (1 - model.discount())));
  return iterated(model, cost, options, patience, take);
}

}  // namespace rgu
