// Utilities of an occupancy that is spread over processes: those whose value and gradients need
// only own entries and a few sums over all.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rgu/base/convex_set.hpp"
#include "rgu/global/reward_ball.hpp"
#include "rgu/large/spread_model.hpp"
#include "rgu/utility/marginal.hpp"
#include "rgu/utility/utility.hpp"

namespace rgu {

// f_xi(lambda), convex in lambda, with its worst xi. lambda: (own, A). xi is small and the same on
// all ranks, or as large as lambda and divided as it is: each class says which. All ranks call
// together and get the same value.
class SpreadUtility {
 public:
  virtual ~SpreadUtility() = default;

  virtual UtilityGradient evaluate(const Matrix& occupancy, const Vector& nature) const = 0;
  // A xi of the ambiguity set at which f is largest, exactly.
  virtual Vector worst(const Matrix& occupancy) const = 0;
  // The adversary as a ball of rewards; empty where it is none.
  virtual std::optional<RewardBall> reward_ball() const { return std::nullopt; }
};

// {xi : |xi - centre|_p <= radius}, p in [1, infinity], in the space of the own entries of all
// ranks.
struct SpreadBall {
  Matrix centre = {};  // (own, A)
  double radius = 0;   // >= 0
  double p = 2;
};

// -<xi, lambda> on a ball of rewards; xi is divided. radius 0: a known reward.
std::unique_ptr<SpreadUtility> spread_reward(SpreadBall rewards, Ranks& ranks);

// <c_0 + sum_k xi_k c_k, lambda> - <xi, tau>; xi (K) is the same on all ranks, in any set: the
// multipliers of constraints, or weights of features. Keeps the set.
struct SpreadCosts {
  Matrix objective = {};                 // c_0: (own, A)
  std::vector<Matrix> constraints = {};  // each (own, A)
  Vector thresholds = {};                // tau
};
std::unique_ptr<SpreadUtility> spread_constrained(SpreadCosts costs,
                                                  std::shared_ptr<const ConvexSet> multipliers,
                                                  Ranks& ranks);

// sum_i p_i log(p_i + delta) as Entropy; no xi.
struct SpreadEntropyOptions {
  Marginal over = Marginal::kStates;
  double delta = 1e-6;  // > 0
};
std::unique_ptr<SpreadUtility> spread_entropy(const SpreadEntropyOptions& options, Ranks& ranks);

// (1/2) |lambda - xi|^2 on a Euclidean ball (p = 2) or a box (p = infinity) of targets; xi is
// divided.
std::unique_ptr<SpreadUtility> spread_quadratic_target(SpreadBall targets, Ranks& ranks);

// sum_i p_i log((p_i + delta) / (xi_i + delta)) over state-actions or states, on the box |xi_i -
// target_i| <= radius, where radius < delta + every target; xi is divided.
struct SpreadDivergence {
  Vector target = {};  // (own) or (own * A)
  double radius = 0;
  SpreadEntropyOptions masses = {};
};
std::unique_ptr<SpreadUtility> spread_divergence(SpreadDivergence divergence, Ranks& ranks);

// -lmin(W M(lambda) W') as Drift, without smoothing, on a Frobenius or spectral ball of maps; xi is
// W, the same on all ranks. M (d', d') is a sum over all.
struct SpreadDrift {
  Matrix features = {};  // psi: (own * A, d')
  Matrix centre = {};    // (d, d')
  double radius = 0;
};
std::unique_ptr<SpreadUtility> spread_drift(SpreadDrift drift, Ranks& ranks);

// All of these throw InvalidInput where sizes do not fit or numbers are out of their ranges.

}  // namespace rgu
