// Interior points for balls of rewards on models of any size: memory linear in the transitions.
#pragma once

#include <memory>
#include <optional>

#include "rgu/global/ceilings.hpp"
#include "rgu/global/envelope_search.hpp"
#include "rgu/global/flow_system.hpp"
#include "rgu/global/reward_ball.hpp"

namespace rgu {

// min over Lambda of -<centre, lambda> + max <w, lambda>: Mehrotra's predictor and corrector
// [Mehrotra1992] with barriers for lambda >= 0. The maximum is
//   p = 1  a ceiling over lambda (ceilings.hpp): where very many pairs tie at the ceiling the
//          adversary's answer is a mixture, which the multipliers of the ceiling are
//   p > 1  radius |lambda|_q, 1/p + 1/q = 1, which is smooth
// Either has a diagonal curvature less a term of rank one, so that a step is a few dozen or
// hundred products with the kernel: conjugate gradients on the normal equations (flow_system.hpp),
// to an accuracy in proportion to the gap. Where the gap of the method is about as small as wanted
// its policy is evaluated, and rewards centre - w planned against: both bounds hold whatever the
// residuals are.
class RewardInteriorPoint final : public EnvelopeMethod {
 public:
  explicit RewardInteriorPoint(RewardBall ball) : ball_(std::move(ball)) {}

  bool advance(EnvelopeSearch& search) override;

 private:
  struct Direction {
    Matrix lambda, z;
    Vector v;
    Ceilings::Direction ceilings;
  };
  struct Steps {
    double primal = 1;
    double dual = 1;
  };

  void begin(const EnvelopeModel& model);
  void measure(const EnvelopeModel& model);
  bool step(const EnvelopeModel& model);
  Direction direction(const EnvelopeModel& model, const FlowSystem& system, double target,
                      const Direction* predicted, double accuracy);
  Steps longest(const EnvelopeModel& model, const Direction& move) const;
  double products_after(const EnvelopeModel& model, const Direction& move, Steps steps) const;
  void prove(EnvelopeSearch& search);

  RewardBall ball_;
  Vector source_;  // (1-g) start, with a little for states that no policy visits
  // The point: lambda, its reduced costs z > 0, values v; the ceiling where p = 1.
  Matrix lambda_, z_;
  Vector v_;
  std::optional<Ceilings> ceilings_;
  // What measure() finds at the point.
  Matrix taken_;   // w, or the gradient of radius |lambda|_q
  Matrix dual_;    // residual of -centre + taken - A'v - z
  Vector primal_;  // residual of A lambda
  Curvature curvature_ = {};
  double value_ = 0;     // of the ball at lambda, and
  double scale_ = 0;     // the size of its parts
  double products_ = 0;  // sum of all
  double count_ = 0;     // how many
  int steps_ = 0;
  double least_excess_ = kInfinity;
  int idle_ = 0;
};

}  // namespace rgu
