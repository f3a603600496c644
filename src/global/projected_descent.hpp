// Descent on the envelope by projected gradient steps in the occupancy.
#pragma once

#include "rgu/global/envelope_search.hpp"

namespace rgu {

// lambda <- proj_Lambda(y - grad Gamma(y) / L) from a point y extrapolated by momentum
// [BeckTeboulle2009], restarted where it points uphill or Gamma rises [ODonoghueCandes2015]; L is
// found by doubling. Fast on smooth envelopes of small models: a projection costs a few
// factorisations. Starts from the best policy of the search; ends where steps vanish or the gap
// stops falling.
class ProjectedDescent final : public EnvelopeMethod {
 public:
  explicit ProjectedDescent(const EnvelopeProblem& problem) : problem_(problem) {}

  bool advance(EnvelopeSearch& search) override;

 private:
  // The projected step from `from`, with an L that its quadratic model allows.
  EnvelopePoint stepped(const EnvelopePoint& from);

  EnvelopeProblem problem_;
  EnvelopePoint point_ = {};  // lambda_k
  Matrix before_ = {};        // lambda_{k-1}
  double momentum_ = 1;       // t_k
  double curvature_ = 0;      // L
  Vector multipliers_ = {};   // L times those of the last projection
  Patience patience_{300};    // the gap may rest for long while the value still falls
};

}  // namespace rgu
