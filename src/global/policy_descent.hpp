// Descent on the envelope by steps of the policy: memory linear in the transitions.
#pragma once

#include <memory>

#include "rgu/global/envelope_search.hpp"
#include "rgu/mdp/policy_evaluation.hpp"

namespace rgu {

// pi <- pi exp(-eta Q) / Z, Q the action values of the gradient c of Gamma at the worst xi: mirror
// descent in policies, natural gradient in softmax parameters [Kakade2001]. eta is doubled after a
// step that does at least half of what its linear model <c, lambda' - lambda> says, and divided
// after one that does next to nothing. Each step also plans against its gradient. Starts from the
// best policy of the search; ends where no step descends or the gap stops falling.
class PolicyDescent final : public EnvelopeMethod {
 public:
  explicit PolicyDescent(int patience) : patience_(patience) {}

  bool advance(EnvelopeSearch& search) override;

 private:
  void begin(const EnvelopeSearch& search);
  bool step(EnvelopeSearch& search);

  Matrix policy_ = {};
  EnvelopePoint point_ = {};
  std::unique_ptr<PolicyEvaluation> evaluation_;
  double eta_ = 0;
  Patience patience_;
};

}  // namespace rgu
