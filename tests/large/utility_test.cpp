// Spread utilities against the whole ones: values, both gradients, worst cases.
#include "large/spread_testing.hpp"
#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/matrix_ball.hpp"
#include "rgu/ambiguity/simplex.hpp"
#include "rgu/gradient/exact_oracle.hpp"
#include "rgu/large/spread_gradient.hpp"
#include "rgu/large/spread_utility.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/mdp/softmax.hpp"
#include "rgu/robustness/worst_case.hpp"
#include "rgu/utility/constrained.hpp"
#include "rgu/utility/drift.hpp"
#include "rgu/utility/entropy.hpp"
#include "rgu/utility/reward_robust.hpp"
#include "rgu/utility/target.hpp"

namespace rgu {
namespace {

class SpreadUtilities : public testing::Test {
 protected:
  Matrix own_pairs(const Vector& flat) const {
    return both.own(Matrix(as_matrix(flat, states, actions)));
  }

  // The worst case, the value there and both gradients, those of the policy too. `divided`: xi is
  // as large as the occupancy and divided as it is; `states_only`: it has one entry for each state.
  void expect_same(const SpreadUtility& spread, const Utility& whole, const ConvexSet& set,
                   Index rows_per_state) {
    const Matrix lambda = occupancy(both.world.mdp, pi);
    const WorstCase worst = worst_case(whole, set, lambda);
    const Vector xi = spread.worst(both.own(lambda));
    const auto own_part = [&](const Vector& all) -> Vector {
      if (rows_per_state == 0) return all;
      return all.segment(both.spread.own().first * rows_per_state,
                         both.spread.own().size() * rows_per_state);
    };
    const UtilityGradient f = spread.evaluate(both.own(lambda), xi);
    const UtilityGradient expected = whole.evaluate(lambda, worst.nature);
    EXPECT_NEAR(f.value, worst.value, 1e-9 * std::max(1.0, std::abs(worst.value)));
    ASSERT_EQ(xi.size(), own_part(worst.nature).size());
    if (xi.size() > 0) {
      EXPECT_LE((xi - own_part(worst.nature)).cwiseAbs().maxCoeff(), 1e-7);
      EXPECT_LE((f.nature - own_part(expected.nature)).cwiseAbs().maxCoeff(), 1e-7);
    }
    EXPECT_OWN_NEAR(f.occupancy, expected.occupancy, 1e-7);

    const TabularSoftmax policy({states, actions});
    const ExactOracle oracle(both.world.mdp, policy, whole);
    const Vector theta = flatten(Matrix(pi.array().log()));
    const SaddleGradient gradient = oracle.gradient({.policy = theta, .nature = worst.nature});
    const SpreadEvaluation evaluation(both.spread, both.own(pi));
    const SpreadGradient both_players = spread_gradient(evaluation, spread, xi);
    EXPECT_NEAR(both_players.value, gradient.value, 1e-9 * std::max(1.0, std::abs(gradient.value)));
    EXPECT_LE((both_players.policy - own_pairs(gradient.policy)).norm(), 1e-7);
  }

  SpreadWorld both{test_garnet(40, 0.9)};
  Index states = both.world.mdp.states();
  Index actions = both.world.mdp.actions();
  Matrix pi = testing_models::random_policy(both.world.mdp, 4);
  const Matrix& reward = both.world.signals.at("reward");
};

TEST_F(SpreadUtilities, RewardsOnBallsOfEveryNorm) {
  for (const double p : {1.0, 1.5, 2.0, 3.0, kInfinity}) {
    const LpBall ball({.centre = flatten(reward), .radius = 0.7, .p = p});
    expect_same(*spread_reward({.centre = both.own(reward), .radius = 0.7, .p = p}, job()),
                RewardRobust({states, actions}), ball, actions);
  }
}

TEST_F(SpreadUtilities, Constraints) {
  Rng rng(9);
  ConstrainedCosts costs{.objective = -reward, .constraints = {}, .thresholds = Vector(2)};
  SpreadCosts spread{.objective = both.own(Matrix(-reward))};
  for (Index k = 0; k < 2; ++k) {
    costs.constraints.push_back(as_matrix(normal_vector(states * actions, rng), states, actions));
    spread.constraints.push_back(both.own(costs.constraints.back()));
    costs.thresholds(k) = -0.1 * static_cast<double>(k);
  }
  spread.thresholds = costs.thresholds;
  const auto set = std::make_shared<CappedOrthant>(2, 5.0);
  expect_same(*spread_constrained(spread, set, job()), Constrained(costs), *set, 0);
}

TEST_F(SpreadUtilities, Entropies) {
  const LpBall none({.centre = Vector::Zero(1), .radius = 0, .p = 2});
  for (const Marginal over : {Marginal::kStates, Marginal::kStateActions}) {
    const Entropy whole({.shape = {states, actions}, .over = over, .delta = 1e-4});
    const auto spread = spread_entropy({.over = over, .delta = 1e-4}, job());
    const Matrix lambda = occupancy(both.world.mdp, pi);
    const UtilityGradient expected = whole.evaluate(lambda, {});
    const UtilityGradient f = spread->evaluate(both.own(lambda), {});
    EXPECT_NEAR(f.value, expected.value, 1e-12);
    EXPECT_OWN_NEAR(f.occupancy, expected.occupancy, 1e-12);
  }
}

TEST_F(SpreadUtilities, Targets) {
  const Matrix target = occupancy(both.world.mdp, testing_models::random_policy(both.world.mdp, 8));
  const Vector flat = flatten(target);
  const LpBall ball({.centre = flat, .radius = 0.01, .p = 2});
  expect_same(*spread_quadratic_target({.centre = both.own(target), .radius = 0.01}, job()),
              QuadraticTarget({states, actions}), ball, actions);
  const Vector radius = Vector::Constant(flat.size(), 1e-5);
  const Box box(Bounds{.lower = flat - radius, .upper = flat + radius});
  expect_same(
      *spread_quadratic_target({.centre = both.own(target), .radius = 1e-5, .p = kInfinity}, job()),
      QuadraticTarget({states, actions}), box, actions);
  const SpreadEntropyOptions pairs{.over = Marginal::kStateActions, .delta = 1e-3};
  expect_same(*spread_divergence(
                  {.target = flatten(both.own(target)), .radius = 1e-5, .masses = pairs}, job()),
              KlTarget({.shape = {states, actions}, .over = pairs.over, .delta = pairs.delta}), box,
              actions);
}

TEST_F(SpreadUtilities, DriftOnABallOfMaps) {
  Rng rng(2);
  Matrix features(states * actions, 6);
  for (double& x : features.reshaped<Eigen::RowMajor>()) x = rng.normal();
  const Matrix centre = Matrix::Identity(3, 6);
  const Drift whole({.actions = actions, .features = features, .dimension = 3});
  const Matrix own_features =
      features.middleRows(both.spread.own().first * actions, both.spread.own().size() * actions);
  expect_same(*spread_drift({.features = own_features, .centre = centre, .radius = 0.4}, job()),
              whole, FrobeniusBall(centre, 0.4), 0);
}

}  // namespace
}  // namespace rgu
