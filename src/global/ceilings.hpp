// A ceiling over the occupancy, as part of a primal-dual interior-point method.
#pragma once

#include "rgu/global/envelope_model.hpp"

namespace rgu {

// max <w, lambda> over w in {0 <= w <= most, sum w <= total} is, by duality,
//   min  total t + <most, above>  over  above >= 0,  below = t - lambda + above >= 0,
// with w the multipliers: an entry of lambda above the ceiling t costs most, and none may be where
// there is no limit. Holds t, w, below and above, with the residuals of
//   below - above = t - lambda,  sum w = total,
// and of the products w below and (most - w) above, which are positive and go to 0.
class Ceilings {
 public:
  struct Budget {
    double total = 0;  // > 0
    Matrix most = {};  // (S, A), >= 0, summing to more than total; empty: no limit
  };
  // Starts at a ceiling of twice the largest entry, with all products at `product`. Keeps a
  // reference to the model.
  Ceilings(const EnvelopeModel& model, Budget budget, const Matrix& occupancy, double product);

  const Matrix& multipliers() const { return w_; }
  double ceiling() const { return t_; }
  double total() const { return budget_.total; }
  double products() const;                 // their sum
  double count() const { return count_; }  // how many

  // Measures residuals at lambda. The curvature is then diag(stiffness) less what a common shift of
  // all entries does not cost: dw = pull - stiffness (dt - dlambda), sum dw = the residual.
  void measure(const Matrix& occupancy);
  const Matrix& stiffness() const { return stiffness_; }
  double total_stiffness() const { return total_stiffness_; }

  struct Direction {
    Matrix w, below, above;
    double t = 0;
  };
  // What dw is at dt = dlambda = 0, for a step to `target` products, with second-order terms of a
  // predicted direction if there is one.
  Matrix pull(double target, const Direction* predicted) const;
  // sum pull - the residual of the sum of w, over the total stiffness: dt at dlambda = 0.
  double shift(const Matrix& pull) const;
  // All of it, once dlambda is known.
  Direction direction(double target, const Direction* predicted, const Matrix& pull, double shift,
                      const Matrix& change) const;

  // The longest steps of this process that keep all products positive.
  double primal_step(const Direction& move) const;
  double dual_step(const Direction& move) const;
  double products_after(const Direction& move, double primal, double dual) const;
  void move_by(const Direction& move, double primal, double dual);

  // A member of the budget near w.
  Matrix feasible_multipliers() const;

 private:
  // Entries without a ceiling (most = 0) have w = 0 and no products.
  enum class Kind { kFree, kHard, kSoft };
  Kind kind(Index i) const {
    if (budget_.most.size() == 0 || budget_.most.data()[i] == kInfinity) return Kind::kHard;
    return budget_.most.data()[i] > 0 ? Kind::kSoft : Kind::kFree;
  }
  double room(Index i) const { return budget_.most.data()[i] - w_.data()[i]; }

  const EnvelopeModel& model_;
  Budget budget_;
  double t_ = 0;
  Matrix w_, below_, above_;
  double count_ = 0;
  Matrix stiffness_;
  Matrix gap_;  // t - lambda - (below - above)
  double total_stiffness_ = 0;
  double price_ = 0;  // total - sum w
};

}  // namespace rgu
