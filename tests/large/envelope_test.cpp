// The envelope solver on spread models against the one on whole models.
#include "rgu/global/envelope.hpp"

#include "large/spread_testing.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/simplex.hpp"
#include "rgu/ambiguity/singleton.hpp"
#include "rgu/large/spread_envelope.hpp"
#include "rgu/utility/constrained.hpp"
#include "rgu/utility/entropy.hpp"
#include "rgu/utility/reward_robust.hpp"

namespace rgu {
namespace {

GlobalSolution solved(const SpreadModel& model, const SpreadUtility& utility, double tolerance) {
  const SpreadEnvelope envelope(model, utility);
  EnvelopeSolver solver(envelope, tolerance);
  while (solver.best().iterations < 300 && solver.advance()) {
  }
  return solver.best();
}

// Both bracket the same minimum.
void expect_agree(const GlobalSolution& spread, const GlobalSolution& whole, double tolerance) {
  EXPECT_EQ(spread.status, GlobalStatus::kCertified);
  EXPECT_EQ(whole.status, GlobalStatus::kCertified);
  EXPECT_GE(spread.value, whole.lower_bound - 1e-12);
  EXPECT_LE(spread.lower_bound, whole.value + 1e-12);
  EXPECT_NEAR(spread.value, whole.value, 2 * tolerance * std::abs(whole.value));
}

class SpreadEnvelopes : public testing::Test {
 protected:
  SpreadWorld both{test_garnet(800, 0.9)};
  const Matrix& reward = both.world.signals.at("reward");
  OccupancyShape shape{both.world.mdp.states(), both.world.mdp.actions()};
};

TEST_F(SpreadEnvelopes, RobustRewards) {
  const auto utility = spread_reward({.centre = both.own(reward), .radius = 3}, job());
  const LpBall ball({.centre = flatten(reward), .radius = 3, .p = 2});
  expect_agree(solved(both.spread, *utility, 1e-5),
               envelope_minimum(both.world.mdp, RewardRobust(shape), ball, {.tolerance = 1e-5}),
               1e-5);
}

TEST_F(SpreadEnvelopes, Constraints) {
  Rng rng(3);
  const Matrix cost = as_matrix(normal_vector(reward.size(), rng), reward.rows(), reward.cols());
  const Vector threshold = Vector::Constant(1, -0.2);
  const auto set = std::make_shared<CappedOrthant>(1, 20.0);
  const auto utility = spread_constrained({.objective = both.own(Matrix(-reward)),
                                           .constraints = {both.own(cost)},
                                           .thresholds = threshold},
                                          set, job());
  const Constrained whole({.objective = -reward, .constraints = {cost}, .thresholds = threshold});
  expect_agree(solved(both.spread, *utility, 1e-3),
               envelope_minimum(both.world.mdp, whole, *set, {.tolerance = 1e-3}), 1e-3);
}

TEST_F(SpreadEnvelopes, Entropy) {
  const auto utility = spread_entropy({.over = Marginal::kStateActions, .delta = 1e-6}, job());
  const Singleton none{Vector(0)};
  const rgu::Entropy whole({.shape = shape, .over = Marginal::kStateActions, .delta = 1e-6});
  expect_agree(solved(both.spread, *utility, 1e-5),
               envelope_minimum(both.world.mdp, whole, none, {.tolerance = 1e-5}), 1e-5);
}

}  // namespace
}  // namespace rgu
