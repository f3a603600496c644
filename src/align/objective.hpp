// The alignment problem in the terms of the rest of rgu. A batch of n answers is an occupancy: mass
// 1/n on each of n actions of one state. Then, with rewards r_i and costs c_k of the answers,
//
//   f_xi(lambda) = -<sum_i w_i r_i, lambda> + sum_k xi_k (<c_k, lambda> - d_k),
//
// with d_k the threshold less the margin, linear in nature's (w, xi): weights w of several rewards,
// in the simplex within an l2 ball around uniform, and multipliers xi in a box. With one reward
// there is no w.
#pragma once

#include <memory>

#include "rgu/align/config.hpp"
#include "rgu/base/convex_set.hpp"
#include "rgu/utility/utility.hpp"

namespace rgu::align {

struct AnswerScores {
  Matrix rewards = {};  // (answers, rewards)
  Matrix costs = {};    // (answers, constraints)

  Index answers() const { return rewards.rows(); }
};

class Objective {
 public:
  explicit Objective(const AlignConfig& config);

  const ConvexSet& ambiguity() const { return *ambiguity_; }
  const Vector& start() const { return start_; }  // uniform weights, initial multipliers
  Vector weights(const Vector& nature) const;     // one entry, 1, with one reward
  Vector multipliers(const Vector& nature) const;

  std::shared_ptr<const Utility> utility(const AnswerScores& scores) const;
  UtilityGradient evaluate(const AnswerScores& scores, const Vector& nature) const;
  // max over the ambiguity set of f, exact.
  double envelope(const AnswerScores& scores) const;
  // -grad_lambda f: sum_i w_i r_i - sum_k xi_k c_k for each answer, what the policy is to make
  // large.
  Vector adjusted_scores(const AnswerScores& scores, const Vector& nature) const;

 private:
  Index rewards_;
  Vector thresholds_;
  double regularization_;
  std::unique_ptr<const ConvexSet> ambiguity_;
  Vector start_;
};

}  // namespace rgu::align
