#include "rgu/global/certificate.hpp"

#include <limits>

#include "rgu/base/check.hpp"
#include "rgu/mdp/planning.hpp"

namespace rgu {
namespace {

// Where these many sweeps do not settle the span, the model mixes slowly and Krylov solves pay.
constexpr Index kSweepLimit = 100;
constexpr double kFarFromZero = 10;  // values this many times their span are worth centring

double bound_from(const FiniteMdp& mdp, const Vector& value, double shortfall, double offset) {
  return bound_of({.states = mdp.states(),
                   .discount = mdp.discount(),
                   .start_value = mdp.start().dot(value),
                   // Costs that attain a minimum are hardly larger.
                   .largest = value.lpNorm<Eigen::Infinity>() + std::abs(shortfall),
                   .shortfall = shortfall},
                  offset);
}

// The bound of values V and of V - m, m in the middle of them, where those are much smaller: the
// rounding is that of the largest of them.
PlannedBound better_bound(const FiniteMdp& mdp, const Matrix& slope, double offset,
                          PlannedBound planned) {
  const Vector& value = planned.value;
  const double highest = value.maxCoeff(), lowest = value.minCoeff();
  if (!(value.lpNorm<Eigen::Infinity>() > kFarFromZero * (highest - lowest))) return planned;
  Vector centred = value.array() - 0.5 * (highest + lowest);
  const Matrix q = slope + mdp.discount() * mdp.expected_next(centred);
  const double shortfall = (q.rowwise().minCoeff() - centred).minCoeff();
  const double bound = bound_from(mdp, centred, shortfall, offset);
  if (!(bound > planned.bound)) return planned;
  planned.bound = bound;
  planned.value = std::move(centred);
  return planned;
}

PlannedBound by_policy_iteration(const FiniteMdp& mdp, const Matrix& slope, double offset) {
  Plan plan = optimal_plan(mdp, slope);
  const double bound = bound_from(mdp, plan.relative, plan.shortfall, offset);
  return better_bound(
      mdp, slope, offset,
      {.bound = bound, .action = std::move(plan.action), .value = std::move(plan.relative)});
}

}  // namespace

void check_tolerance(const GapTolerance& tolerance) {
  check_positive("tolerance", tolerance.relative);
  if (tolerance.absolute) check_positive("absolute tolerance", *tolerance.absolute);
}

// Every V with V <= slope + g P V has (1-g) <rho, V> <= <slope, lambda> on Lambda: multiply the
// flow equations by V. V + shortfall / (1-g) is one. Sums of S + 2 terms no larger than |V| are
// rounded twice: in the shortfall and in <rho, V>.
double bound_of(const ValueFacts& facts, double offset) {
  const double least = (1 - facts.discount) * facts.start_value;
  const double rounding = 2 * std::numeric_limits<double>::epsilon() *
                          static_cast<double>(facts.states + 2) *
                          (facts.largest + std::abs(offset));
  return offset + least + facts.shortfall - rounding;
}

PlannedBound planned_bound(const FiniteMdp& mdp, const Matrix& slope, double offset,
                           const PlanHint& hint) {
  check_finite("offset", offset);
  if (!mdp.is_sparse()) return by_policy_iteration(mdp, slope, offset);
  check_nonnegative("accuracy of the plan", hint.accuracy);
  const double scale = slope.cwiseAbs().maxCoeff();
  const ModifiedPlanOptions options{
      .tolerance = scale > 0 ? std::max(1e-11, hint.accuracy / scale) : 1e-11,
      .iterations = kSweepLimit,
      .start = hint.guess};
  ModifiedPlan plan = modified_policy_iteration(mdp, slope, options);
  if (plan.highest - plan.lowest > options.tolerance * scale) {
    return by_policy_iteration(mdp, slope, offset);
  }
  const double bound = bound_from(mdp, plan.value, plan.lowest, offset);
  return better_bound(
      mdp, slope, offset,
      {.bound = bound, .action = std::move(plan.action), .value = std::move(plan.value)});
}

double planning_bound(const FiniteMdp& mdp, const Matrix& slope, double offset) {
  return planned_bound(mdp, slope, offset).bound;
}

}  // namespace rgu
