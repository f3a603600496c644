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
  PlannedBound planned(const Cut& minorant, const Vector& guess) const override;
  double sum(double own) const override { return rgu::sum(model_.ranks(), own); }
  double largest(double own) const override { return rgu::largest(model_.ranks(), own); }

 private:
  const SpreadModel& model_;
  const SpreadUtility& utility_;
};

}  // namespace rgu
