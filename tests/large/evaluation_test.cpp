#include "large/spread_testing.hpp"
#include "laws/throws.hpp"
#include "rgu/base/check.hpp"
#include "rgu/large/spread_evaluation.hpp"
#include "rgu/mdp/occupancy.hpp"

namespace rgu {
namespace {

using testing_models::random_policy;

std::vector<World> worlds() {
  return {test_garnet(101, 0.9), test_garnet(57, 0.999, 2), test_grid(0.95), test_grid(0.999),
          river_swim({.states = 6, .discount = 0.8}),
          // Fewer states than ranks leave some ranks without any.
          river_swim({.states = 3, .discount = 0.5})};
}

TEST(SpreadModel, MultipliesAsTheWholeModel) {
  for (World& world : worlds()) {
    const SpreadWorld both(std::move(world));
    Rng rng(7);
    const Vector value = normal_vector(both.world.mdp.states(), rng);
    EXPECT_OWN_NEAR(both.spread.expected_next(both.own(value)), both.world.mdp.expected_next(value),
                    1e-13);
    const Matrix mass = random_policy(both.world.mdp, 3);
    EXPECT_OWN_NEAR(both.spread.push_forward(both.own(mass)), both.world.mdp.push_forward(mass),
                    1e-13);
    EXPECT_EQ(both.spread.transitions(), static_cast<double>(both.world.mdp.transitions()));
  }
}

TEST(SpreadEvaluation, HasTheOccupancyAndTheValuesOfTheWholeModel) {
  for (World& world : worlds()) {
    const SpreadWorld both(std::move(world));
    const FiniteMdp& mdp = both.world.mdp;
    const Matrix pi = random_policy(mdp, 5);
    const Matrix& cost = both.world.signals.at("reward");
    const PolicyEvaluation whole(mdp, pi);
    const SpreadEvaluation spread(both.spread, both.own(pi));
    EXPECT_OWN_NEAR(spread.occupancy(), whole.occupancy(), 1e-9);
    EXPECT_OWN_NEAR(spread.value(both.own(cost)), whole.value(cost), 1e-9);
    EXPECT_OWN_NEAR(spread.action_value(both.own(cost)), whole.action_value(cost), 1e-9);
    // From raw data, by the whole model's own equations.
    EXPECT_LE(flow_residual(both.spread, spread.occupancy()), 1e-12);
  }
}

TEST(SpreadEvaluation, SolvesPoliciesWithZerosToo) {
  const SpreadWorld both(test_grid(0.99));
  Matrix pi = Matrix::Zero(both.world.mdp.states(), both.world.mdp.actions());
  for (Index s = 0; s < pi.rows(); ++s) pi(s, s % pi.cols()) = 1;
  const SpreadEvaluation spread(both.spread, both.own(pi));
  EXPECT_OWN_NEAR(spread.occupancy(), occupancy(both.world.mdp, pi), 1e-9);
}

TEST(SpreadEvaluation, RefusesWhatIsNoPolicyOnAllRanks) {
  const SpreadWorld both(test_garnet(20, 0.9));
  Matrix pi = random_policy(both.world.mdp, 1);
  pi(19, 0) += 0.5;  // of the last rank
  EXPECT_THROW(SpreadEvaluation(both.spread, both.own(pi)), InvalidInput);
}

TEST(SpreadModel, RefusesSlicesThatDoNotFitTogether) {
  const World world = test_garnet(20, 0.9);
  if (job().size() == 1) {
    EXPECT_THROW(SpreadModel(slice_of(world, {.first = 0, .last = 19}), job()), InvalidInput);
    return;
  }
  EXPECT_THROW(SpreadModel(slice_of(world, {.first = 0, .last = 20}), job()), InvalidInput);
  World other = test_garnet(20, job().leads() ? 0.9 : 0.8);
  EXPECT_THROW(SpreadModel(slice_of(other, own_states(20, job())), job()), InvalidInput);
}

}  // namespace
}  // namespace rgu
