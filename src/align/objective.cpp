#include "rgu/align/objective.hpp"

#include <vector>

#include "rgu/align/config_file.hpp"
#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/intersection_set.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/product_set.hpp"
#include "rgu/ambiguity/simplex.hpp"
#include "rgu/ambiguity/singleton.hpp"
#include "rgu/base/check.hpp"
#include "rgu/utility/constrained.hpp"
#include "rgu/utility/regularized.hpp"
#include "rgu/utility/reward.hpp"
#include "rgu/utility/reward_robust.hpp"
#include "rgu/utility/sum.hpp"

namespace rgu::align {
namespace {

Vector uniform_weights(Index count) {
  return Vector::Constant(count, 1.0 / static_cast<double>(count));
}

std::shared_ptr<const ConvexSet> weight_set(Index count, double radius) {
  const SetParts parts = {
      std::make_shared<LpBall>(LpBallShape{.centre = uniform_weights(count), .radius = radius}),
      std::make_shared<ProbabilitySimplex>(count)};
  return std::make_shared<IntersectionSet>(parts);
}

std::shared_ptr<const ConvexSet> multiplier_set(const std::vector<ConstraintConfig>& constraints) {
  const auto count = static_cast<Index>(constraints.size());
  Vector lower(count), upper(count);
  for (Index k = 0; k < count; ++k) {
    lower[k] = constraints[static_cast<std::size_t>(k)].least_multiplier;
    upper[k] = constraints[static_cast<std::size_t>(k)].most_multiplier;
  }
  return std::make_shared<Box>(Bounds{.lower = lower, .upper = upper});
}

std::unique_ptr<const ConvexSet> ambiguity_of(const AlignConfig& config) {
  SetParts parts;
  if (config.rewards.size() > 1) {
    parts.push_back(
        weight_set(static_cast<Index>(config.rewards.size()), config.nature.ensemble_radius));
  }
  if (!config.constraints.empty()) parts.push_back(multiplier_set(config.constraints));
  if (parts.empty()) return std::make_unique<Singleton>(Vector());
  return std::make_unique<ProductSet>(parts);
}

// The column as a (1, n) matrix over the answers.
Matrix row_of(const Matrix& scores, Index column) { return scores.col(column).transpose(); }

std::vector<Matrix> rows_of(const Matrix& scores) {
  std::vector<Matrix> rows;
  for (Index j = 0; j < scores.cols(); ++j) rows.push_back(row_of(scores, j));
  return rows;
}

}  // namespace

Objective::Objective(const AlignConfig& config)
    : rewards_(static_cast<Index>(config.rewards.size())),
      thresholds_(static_cast<Index>(config.constraints.size())),
      regularization_(config.nature.regularization) {
  check_config(config);
  ambiguity_ = ambiguity_of(config);
  start_ = Vector::Zero(ambiguity_->dimension());
  if (rewards_ > 1) start_.head(rewards_) = uniform_weights(rewards_);
  for (Index k = 0; k < thresholds_.size(); ++k) {
    const ConstraintConfig& constraint = config.constraints[static_cast<std::size_t>(k)];
    thresholds_[k] = constraint.threshold - constraint.margin;
    start_.tail(thresholds_.size())[k] = constraint.initial_multiplier;
  }
  start_ = ambiguity_->project(start_);
}

Vector Objective::weights(const Vector& nature) const {
  return rewards_ > 1 ? Vector(nature.head(rewards_)) : Vector::Ones(1);
}

Vector Objective::multipliers(const Vector& nature) const {
  return nature.tail(thresholds_.size());
}

std::shared_ptr<const Utility> Objective::utility(const AnswerScores& scores) const {
  check_shape("rewards", scores.rewards, {scores.answers(), rewards_});
  check_shape("costs", scores.costs, {scores.answers(), thresholds_.size()});
  const bool constrained = thresholds_.size() > 0;
  std::shared_ptr<const Utility> utility;
  if (rewards_ == 1 && !constrained) {
    return std::make_shared<LinearReward>(row_of(scores.rewards, 0));
  }
  if (rewards_ == 1) {
    utility =
        std::make_shared<Constrained>(ConstrainedCosts{.objective = -row_of(scores.rewards, 0),
                                                       .constraints = rows_of(scores.costs),
                                                       .thresholds = thresholds_});
  } else {
    utility = std::make_shared<FeatureRewardRobust>(rows_of(scores.rewards));
  }
  if (rewards_ > 1 && constrained) {
    const auto penalty = std::make_shared<Constrained>(
        ConstrainedCosts{.objective = Matrix::Zero(1, scores.answers()),
                         .constraints = rows_of(scores.costs),
                         .thresholds = thresholds_});
    utility = std::make_shared<Sum>(
        std::vector<WeightedUtility>{{.utility = utility}, {.utility = penalty}});
  }
  if (regularization_ == 0) return utility;
  return std::make_shared<NatureRegularized>(
      utility, NatureRegularization{.modulus = regularization_, .centre = start_});
}

UtilityGradient Objective::evaluate(const AnswerScores& scores, const Vector& nature) const {
  const Matrix occupancy =
      Matrix::Constant(1, scores.answers(), 1.0 / static_cast<double>(scores.answers()));
  return utility(scores)->evaluate(occupancy, nature);
}

// f is linear in nature but for the regularisation: g its gradient at the start, the maximum of
// <g, z - start> - (mu/2) |z - start|^2 is at the projection of start + g / mu.
double Objective::envelope(const AnswerScores& scores) const {
  const UtilityGradient at_start = evaluate(scores, start_);
  if (start_.size() == 0) return at_start.value;
  const Vector worst = regularization_ > 0
                           ? ambiguity_->project(start_ + at_start.nature / regularization_)
                           : ambiguity_->support_point(at_start.nature);
  return evaluate(scores, worst).value;
}

Vector Objective::adjusted_scores(const AnswerScores& scores, const Vector& nature) const {
  return -flatten(evaluate(scores, nature).occupancy);
}

}  // namespace rgu::align
