// Descent on the envelope by steps of the policy: memory linear in the transitions.
#pragma once

#include <memory>

#include "rgu/global/envelope_search.hpp"

namespace rgu {

// Steps of the policy against the action values Q of the gradient c of Gamma at the worst xi, in
// one of two geometries:
//   kRelative  pi <- pi exp(-eta Q) / Z: mirror descent, natural gradient in softmax parameters
//              [Kakade2001]; right where curvature is like that of entropy, 1 / lambda
//   kAbsolute  pi(.|s) <- proj(pi(.|s) - eta Q(s,.) / d(s)) onto the simplex: a Euclidean step in
//              lambda(s,.) with the visits d held; right for curvature like that of |lambda|_2
// Every few steps both are tried, and the one that descends further stays. The step eta of each is
// doubled after a step that does at least half of what its linear model <c, lambda' - lambda> says,
// and divided after one that does next to nothing. Each step also plans against its gradient.
// Starts from the best policy of the search; ends where no step descends or the gap stops falling.
class PolicyDescent final : public EnvelopeMethod {
 public:
  bool advance(EnvelopeSearch& search) override;

 private:
  enum Geometry { kRelative, kAbsolute };

  // A policy with what is known of it.
  struct Candidate {
    Matrix policy = {};
    std::unique_ptr<EvaluatedPolicy> evaluation = {};
    EnvelopePoint point = {};
  };
  static Candidate evaluated(const EnvelopeModel& model, Matrix policy, const Vector& hint);
  // The step in one geometry that descends, with its eta adapted; without a policy if none does.
  Candidate stepped(const EnvelopeModel& model, const Matrix& q, Geometry geometry);
  bool step(EnvelopeSearch& search);

  Candidate at_ = {};
  double eta_[2] = {0, 0};  // by geometry; 0: none yet
  Geometry geometry_ = kRelative;
  int steps_ = 0;
  Patience patience_{10};
};

}  // namespace rgu
