#include "rgu/gradient/trajectory_oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "laws/models.hpp"
#include "laws/throws.hpp"
#include "rgu/gradient/exact_oracle.hpp"
#include "rgu/mdp/softmax.hpp"
#include "rgu/utility/reward_robust.hpp"

namespace rgu {
namespace {

using testing_models::random_dense;

// A model played step by step.
class PlayedModel final : public TrajectorySource {
 public:
  explicit PlayedModel(const FiniteMdp& mdp) : mdp_(mdp) {}

  Trajectories draw(const Matrix& pi, BatchSize batch, StreamFamily streams) const override {
    Trajectories all{.horizon = batch.horizon, .states = {}, .actions = {}};
    Rng rng(streams.seed, streams.stream);
    for (Index i = 0; i < batch.trajectories; ++i) {
      Index state = drawn(mdp_.start(), rng);
      for (Index h = 0; h < batch.horizon; ++h) {
        const Index action = drawn(pi.row(state).transpose(), rng);
        all.states.push_back(static_cast<std::int32_t>(state));
        all.actions.push_back(static_cast<std::int32_t>(action));
        state = drawn(mdp_.dense_kernel().row(state * mdp_.actions() + action).transpose(), rng);
      }
    }
    return all;
  }

 private:
  static Index drawn(const Vector& probabilities, Rng& rng) {
    double left = rng.uniform();
    Index i = 0;
    while (i + 1 < probabilities.size() && left >= probabilities(i)) left -= probabilities(i++);
    return i;
  }

  const FiniteMdp& mdp_;
};

// Two trajectories of three steps, discount 1/2, worked out by hand: (0,0) (1,1) (0,1) and (1,0),
// then an end.
Trajectories by_hand() {
  return {.horizon = 3, .states = {0, 1, 0, 1, -1, -1}, .actions = {0, 1, 1, 0, -1, -1}};
}

TEST(TrajectoryOracle, OccupancyByHand) {
  Matrix expected(2, 2);
  expected << 1, 0.25, 1, 0.5;
  EXPECT_TRUE(occupancy_of(by_hand(), {2, 2}, 0.5).isApprox(0.5 / 2 * expected));
}

TEST(TrajectoryOracle, ScoreWeightsByHand) {
  Matrix cost(2, 2);
  cost << 1, 2, 3, 4;
  // Suffix sums: 1 + 4/2 + 2/4 = 3.5, 4/2 + 2/4 = 2.5, 2/4; and 3.
  Matrix expected(2, 2);
  expected << 3.5, 0.5, 3, 2.5;
  EXPECT_TRUE(score_weights_of(by_hand(), cost, 0.5).isApprox(0.5 / 2 * expected));
}

TEST(TrajectoryOracle, MeansAreTheExactGradients) {
  const FiniteMdp mdp = random_dense(3, 2, 0.7, 61);
  const PlayedModel source(mdp);
  const TabularSoftmax policy({.states = 3, .actions = 2});
  const RewardRobust utility({.states = 3, .actions = 2});
  Rng rng(62);
  const SaddlePoint at{.policy = normal_vector(6, rng), .nature = normal_vector(6, rng)};
  for (const auto scale : {PolicyGradientScale::kDerivative, PolicyGradientScale::kPaper}) {
    const SaddleGradient exact = ExactOracle(mdp, policy, utility, scale).gradient(at);
    const TrajectoryOracle oracle(
        {.source = source, .policy = policy, .utility = utility, .discount = 0.7},
        {.occupancy = {16, 60}, .policy = {16, 60}, .scale = scale});
    Vector truth(13);
    truth << exact.value, exact.policy, exact.nature;
    Vector mean = Vector::Zero(13), square = Vector::Zero(13);
    constexpr int kCalls = 800;
    for (int k = 0; k < kCalls; ++k) {
      const SaddleGradient estimate = oracle.estimate(at, rng);
      EXPECT_EQ(estimate.samples, 2 * 16 * 60);
      Vector sample(13);
      sample << estimate.value, estimate.policy, estimate.nature;
      mean += sample / kCalls;
      square += sample.cwiseAbs2() / kCalls;
    }
    const Vector error = ((square - mean.cwiseAbs2()) / (kCalls - 1)).cwiseMax(0.0).cwiseSqrt();
    for (Index i = 0; i < 13; ++i) EXPECT_NEAR(mean(i), truth(i), 4 * error(i) + 1e-8) << i;
  }
}

TEST(TrajectoryOracle, ForNatureAloneItDrawsOneBatch) {
  const FiniteMdp mdp = random_dense(3, 2, 0.7, 61);
  const PlayedModel source(mdp);
  const TabularSoftmax policy({.states = 3, .actions = 2});
  const RewardRobust utility({.states = 3, .actions = 2});
  const TrajectoryOracle oracle(
      {.source = source, .policy = policy, .utility = utility, .discount = 0.7},
      {.occupancy = {4, 5}, .policy = {6, 7}});
  Rng rng(1), same(1);
  const SaddlePoint at{.policy = Vector::Zero(6), .nature = Vector::Ones(6)};
  const SaddleGradient both = oracle.estimate(at, rng);
  const SaddleGradient alone = oracle.estimate_nature(at, same);
  EXPECT_EQ(alone.nature, both.nature);
  EXPECT_EQ(alone.samples, 4 * 5);
  EXPECT_EQ(both.samples, 4 * 5 + 6 * 7);
}

TEST(TrajectoryOracle, WrongTrajectoriesAreRefused) {
  const auto checked = [](Trajectories all) {
    return [all = std::move(all)] { check_trajectories(all, {2, 2}); };
  };
  EXPECT_NO_THROW(checked(by_hand())());
  expect_invalid(checked({}), "horizon");
  expect_invalid(checked({.horizon = 2, .states = {}, .actions = {}}), "trajectories");
  expect_invalid(checked({.horizon = 2, .states = {0, 1, 0}, .actions = {0, 1, 0}}), "m * H");
  expect_invalid(checked({.horizon = 1, .states = {2}, .actions = {0}}), "state 2");
  expect_invalid(checked({.horizon = 1, .states = {0}, .actions = {-2}}), "action -2");
  expect_invalid(checked({.horizon = 1, .states = {-1}, .actions = {-1}}), "state -1");
  expect_invalid(checked({.horizon = 3, .states = {0, -1, 0}, .actions = {0, -1, 0}}),
                 "after its end");
}

TEST(TrajectoryOracle, WrongOptionsAreRefused) {
  const FiniteMdp mdp = random_dense(3, 2, 0.7, 61);
  const PlayedModel source(mdp);
  const TabularSoftmax policy({.states = 3, .actions = 2});
  const RewardRobust utility({.states = 3, .actions = 2});
  const auto made = [&](double discount, BatchSize batch) {
    return [&, discount, batch] {
      TrajectoryOracle(
          {.source = source, .policy = policy, .utility = utility, .discount = discount},
          {.occupancy = batch, .policy = batch});
    };
  };
  expect_invalid(made(1.0, {1, 1}), "discount is 1");
  expect_invalid(made(0.5, {0, 1}), "number of trajectories");
  expect_invalid(made(0.5, {1, 0}), "horizon");
}

}  // namespace
}  // namespace rgu
