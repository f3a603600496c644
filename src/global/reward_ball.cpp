#include "rgu/global/reward_ball.hpp"

#include <cmath>

#include "rgu/ambiguity/intersection_set.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/global/envelope_model.hpp"
#include "rgu/robustness/vertices.hpp"
#include "rgu/utility/reward_robust.hpp"

namespace rgu {
namespace {

std::optional<RewardBall> as_reward_ball(const ConvexSet& set, Index states, Index actions) {
  const auto* ball = dynamic_cast<const LpBall*>(&set);
  if (ball == nullptr || !(ball->radius() > 0) || std::isinf(ball->p())) return std::nullopt;
  return RewardBall{.centre = as_matrix(ball->centre(), states, actions),
                    .radius = ball->radius(),
                    .p = ball->p()};
}

// One l_1 ball, and boxes around its centre.
std::optional<RewardBall> as_budget(const IntersectionSet& common, Index states, Index actions) {
  std::optional<RewardBall> budget;
  for (const auto& part : common.parts()) {
    auto ball = as_reward_ball(*part, states, actions);
    if (!ball) continue;
    if (ball->p != 1 || budget) return std::nullopt;
    budget = std::move(ball);
  }
  if (!budget) return std::nullopt;
  const Vector centre = flatten(budget->centre);
  Vector most = Vector::Constant(centre.size(), kInfinity);
  for (const auto& part : common.parts()) {
    if (as_reward_ball(*part, states, actions)) continue;
    const auto box = as_box(*part);
    if (!box || (box->lower.array() > centre.array()).any() ||
        (box->upper.array() < centre.array()).any()) {
      return std::nullopt;
    }
    most = most.cwiseMin(centre - box->lower);
  }
  if (most.sum() <= budget->radius) return std::nullopt;  // a box
  budget->most = as_matrix(most, states, actions);
  return budget;
}

}  // namespace

std::optional<RewardBall> reward_ball_of(const EnvelopeProblem& problem) {
  if (dynamic_cast<const RewardRobust*>(&problem.utility) == nullptr) return std::nullopt;
  const Index states = problem.mdp.states(), actions = problem.mdp.actions();
  if (const auto* common = dynamic_cast<const IntersectionSet*>(&problem.ambiguity)) {
    return as_budget(*common, states, actions);
  }
  return as_reward_ball(problem.ambiguity, states, actions);
}

}  // namespace rgu
