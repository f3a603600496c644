// The robust envelope of a spread model, for the methods of global/.
#pragma once

#include "rgu/global/envelope_model.hpp"
#include "rgu/large/spread_utility.hpp"

namespace rgu {

// Keeps references to its parts.
class SpreadEnvelope final : public EnvelopeModel {
 public:
  SpreadEnvelope(const SpreadModel& model, const SpreadUtility& utility)
      : model_(model), utility_(utility) {}

  Index states() const override { return model_.states(); }
  Index own_states() const override { return model_.own().size(); }
  Index actions() const override { return model_.actions(); }
  std::unique_ptr<EvaluatedPolicy> evaluated(const Matrix& policy) const override;
  EnvelopePoint at(Matrix occupancy, const Vector& hint) const override;
  PlannedBound planned(const Cut& minorant, const PlanHint& hint) const override;
  double sum(double own) const override { return rgu::sum(model_.ranks(), own); }
  double largest(double own) const override { return rgu::largest(model_.ranks(), own); }
  Cut tangent(const Matrix& occupancy, const Vector& nature) const override;
  double discount() const override { return model_.discount(); }
  const Vector& start() const override { return model_.start(); }
  Matrix expected_next(const Vector& value) const override { return model_.expected_next(value); }
  Vector push_forward(const Matrix& mass) const override { return model_.push_forward(mass); }
  std::optional<RewardBall> reward_ball() const override { return utility_.reward_ball(); }

 private:
  const SpreadModel& model_;
  const SpreadUtility& utility_;
};

}  // namespace rgu
