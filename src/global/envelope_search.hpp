// What every method that minimises the envelope Gamma shares: its evaluation, and the best policy
// and lower bound so far.
#pragma once

#include <limits>
#include <string_view>
#include <vector>

#include "rgu/base/convex_set.hpp"
#include "rgu/global/certificate.hpp"
#include "rgu/utility/utility.hpp"

namespace rgu {

// min over Lambda of Gamma(lambda) = max over xi of f_xi(lambda). A view.
struct EnvelopeProblem {
  const FiniteMdp& mdp;
  const Utility& utility;
  const ConvexSet& ambiguity;
};

// Throws InvalidInput unless the parts fit together and the utility is convex in the occupancy.
void check_envelope_problem(const EnvelopeProblem& problem);

// A linear minorant on Lambda: Gamma(l) >= offset + <slope, l>.
struct Cut {
  Matrix slope = {};  // (S, A)
  double offset = 0;

  double at(const Matrix& occupancy) const { return offset + slope.cwiseProduct(occupancy).sum(); }
};

// The mean of minorants by weights (negative ones count as 0), a minorant itself; the last where
// all weights are 0.
Cut mean_cut(const std::vector<Cut>& cuts, const Vector& weights);

// Gamma at a member of Lambda. The cut touches f at the worst xi found, so it is a minorant even
// where that is not the worst.
struct EnvelopePoint {
  Matrix occupancy = {};
  double value = 0;  // Gamma is at most this (best found: at least)
  AnswerKind kind = AnswerKind::kExact;
  Vector nature = {};
  Cut cut = {};
};
EnvelopePoint envelope_at(const EnvelopeProblem& problem, Matrix occupancy,
                          const Vector& hint = {});

// The search itself: the best of what it is offered, the highest of the bounds it is told.
class EnvelopeSearch {
 public:
  EnvelopeSearch(const EnvelopeProblem& problem, double tolerance);

  const EnvelopeProblem& problem() const { return problem_; }
  double tolerance() const { return tolerance_; }
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
  // A bound that was proven elsewhere.
  void raise_bound(double bound);
  // Plans against a minorant of Gamma: raises the bound. Returns the plan's policy.
  std::vector<Index> plan_against(const Cut& minorant);

  void count_step(std::string_view method);

 private:
  void judge();

  EnvelopeProblem problem_;
  double tolerance_;
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
  double mark_ = std::numeric_limits<double>::infinity();
  int steps_ = 0;
};

}  // namespace rgu
