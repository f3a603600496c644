#include "rgu/large/spread_envelope.hpp"

#include "rgu/large/spread_evaluation.hpp"
#include "rgu/large/spread_planning.hpp"

namespace rgu {
namespace {

class Evaluated final : public EvaluatedPolicy {
 public:
  Evaluated(const SpreadModel& model, const Matrix& policy) : evaluation_(model, policy) {}
  Matrix occupancy() const override { return evaluation_.occupancy(); }
  Matrix action_value(const Matrix& cost) const override { return evaluation_.action_value(cost); }

 private:
  SpreadEvaluation evaluation_;
};

}  // namespace

std::unique_ptr<EvaluatedPolicy> SpreadEnvelope::evaluated(const Matrix& policy) const {
  return std::make_unique<Evaluated>(model_, policy);
}

EnvelopePoint SpreadEnvelope::at(Matrix occupancy, const Vector& /*hint*/) const {
  Vector nature = utility_.worst(occupancy);
  UtilityGradient f = utility_.evaluate(occupancy, nature);
  const double offset = f.value - dot(f.occupancy, occupancy);
  return {.occupancy = std::move(occupancy),
          .value = f.value,
          .kind = AnswerKind::kExact,
          .nature = std::move(nature),
          .cut = {.slope = std::move(f.occupancy), .offset = offset}};
}

PlannedBound SpreadEnvelope::planned(const Cut& minorant, const Vector& guess) const {
  SpreadPlan plan =
      spread_policy_iteration(model_, minorant.slope, {.tolerance = 1e-11, .start = guess});
  const Vector& v = plan.value;
  const double bound =
      bound_of({.states = model_.states(),
                .discount = model_.discount(),
                .start_value = sum(model_.start().dot(v)),
                .largest = largest(v.size() > 0 ? v.lpNorm<Eigen::Infinity>() : 0.0),
                .shortfall = plan.lowest},
               minorant.offset);
  return {.bound = bound, .action = std::move(plan.action), .value = std::move(plan.value)};
}

}  // namespace rgu
