// What every method that minimises the envelope Gamma shares: its evaluation, and the best policy
// and lower bound so far.
#pragma once

#include <string_view>
#include <vector>

#include "rgu/global/envelope_model.hpp"

namespace rgu {

// The search itself: the best of what it is offered, the highest of the bounds it is told.
class EnvelopeSearch {
 public:
  // Keeps a reference to the model. Throws InvalidInput unless tolerances are > 0.
  EnvelopeSearch(const EnvelopeModel& model, const GapTolerance& tolerance);

  const EnvelopeModel& model() const { return model_; }
  double relative_tolerance() const { return tolerance_.relative; }
  // The gap to reach at the best value so far; infinite before the first policy.
  double wanted_gap() const;
  const GlobalSolution& best() const { return best_; }
  // The point of the best policy, with its cut.
  const EnvelopePoint& best_point() const { return point_; }
  bool certified() const { return best_.status == GlobalStatus::kCertified; }
  // The gap over what was asked for; infinite before the first bound.
  double excess() const;

  // Keeps the policy, whose point is given, if it is the best.
  void offer(const EnvelopePoint& point, const Matrix& policy);
  // The same where its point is still to be found. Returns it.
  EnvelopePoint offer_policy(const Matrix& policy);
  // The same for the policy of a member of Lambda, which rounding may have made negative somewhere.
  EnvelopePoint offer_policy_of(const Matrix& occupancy);
  // The same, where the member looks better than the best.
  void offer_member(const EnvelopePoint& member);
  // A bound that was proven elsewhere, with its witness.
  void raise_bound(double bound, Witness witness);
  // Plans against a minorant of Gamma: raises the bound. Returns the plan's policy. Without a guess
  // in the hint: from the values of the last plan. Without an accuracy: as far as rounding allows,
  // and on large models to a share of the wanted gap.
  std::vector<Index> plan_against(const Cut& minorant, PlanHint hint = {});

  // A gradient whose entries are of the size of the costs.
  void count_costs(const Matrix& slope);

  void count_step(std::string_view method);

 private:
  void judge();

  const EnvelopeModel& model_;
  GapTolerance tolerance_;
  GlobalSolution best_;
  EnvelopePoint point_;
  Vector planned_values_;
};

// One way to go on with a search.
class EnvelopeMethod {
 public:
  virtual ~EnvelopeMethod() = default;
  // One step. False where the next one would not be worth it.
  virtual bool advance(EnvelopeSearch& search) = 0;
};

// Does the gap still fall? So many steps must bring it down to 80%.
class Patience {
 public:
  explicit Patience(int steps) : allowed_(steps) {}

  bool is_over(double gap);

 private:
  static constexpr double kProgress = 0.8;

  int allowed_;
  double mark_ = kInfinity;
  int steps_ = 0;
};

}  // namespace rgu
