#include "rgu/global/reward_ball.hpp"

#include <cmath>

#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/global/envelope_model.hpp"
#include "rgu/robustness/budgets.hpp"
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

std::optional<RewardBall> as_reward_ball(const Budget& budget, Index states, Index actions) {
  const Vector most = budget.centre - budget.limits.lower;
  // Otherwise the total does not bind.
  if (!(budget.total > 0) || most.sum() <= budget.total) return std::nullopt;
  return RewardBall{.centre = as_matrix(budget.centre, states, actions),
                    .radius = budget.total,
                    .p = 1,
                    .most = as_matrix(most, states, actions)};
}

}  // namespace

std::optional<RewardBall> reward_ball_of(const EnvelopeProblem& problem) {
  if (dynamic_cast<const RewardRobust*>(&problem.utility) == nullptr) return std::nullopt;
  const Index states = problem.mdp.states(), actions = problem.mdp.actions();
  if (const auto budget = as_budget(problem.ambiguity)) {
    return as_reward_ball(*budget, states, actions);
  }
  return as_reward_ball(problem.ambiguity, states, actions);
}

}  // namespace rgu
