#include "rgu/mdp/planning.hpp"

#include "large/spread_testing.hpp"
#include "rgu/base/check.hpp"
#include "rgu/large/petsc.hpp"
#include "rgu/large/spread_planning.hpp"

namespace rgu {
namespace {

TEST(SpreadPlanning, FindsTheOptimalValuesOfTheWholeModel) {
  for (World& world :
       std::vector<World>{test_garnet(150, 0.95), test_grid(0.99), test_grid(0.999)}) {
    const SpreadWorld both(std::move(world));
    const Matrix cost = -both.world.signals.at("reward");
    const Plan whole = optimal_plan(both.world.mdp, cost);
    const SpreadPlan plan =
        spread_policy_iteration(both.spread, both.own(cost), {.measure = PlanMeasure::kResidual});
    EXPECT_TRUE(plan.reached);
    EXPECT_OWN_NEAR(plan.value, whole.value, 1e-9 / (1 - both.spread.discount()));
  }
}

TEST(SpreadPlanning, TheBoundsHoldTheOptimalValuesWhereverItStops) {
  const SpreadWorld both(test_garnet(150, 0.95));
  const Matrix cost = -both.world.signals.at("reward");
  const Plan whole = optimal_plan(both.world.mdp, cost);
  for (const Index iterations : {1, 2, 3}) {
    const SpreadPlan plan =
        spread_policy_iteration(both.spread, both.own(cost), {.iterations = iterations});
    const Vector optimal = both.own(whole.value);
    const double g = both.spread.discount();
    for (Index s = 0; s < optimal.size(); ++s) {
      EXPECT_GE(optimal(s), plan.value(s) + plan.lowest / (1 - g) - 1e-10);
      EXPECT_LE(optimal(s), plan.value(s) + plan.highest / (1 - g) + 1e-10);
    }
  }
}

TEST(SpreadPlanning, NeedsFarFewerPassesThanValueIteration) {
  const SpreadWorld both(test_grid(0.999));
  const Matrix cost = both.own(Matrix(-both.world.signals.at("reward")));
  const SpreadPlanOptions options{.measure = PlanMeasure::kResidual, .tolerance = 1e-8};
  double before = matrix_products();
  const SpreadPlan policy = spread_policy_iteration(both.spread, cost, options);
  const double policy_passes = matrix_products() - before;
  before = matrix_products();
  const SpreadPlan value = spread_value_iteration(both.spread, cost, options);
  const double value_passes = matrix_products() - before;
  ASSERT_TRUE(policy.reached && value.reached);
  EXPECT_GE(value_passes, 5 * policy_passes);
}

TEST(SpreadPlanning, RefusesCostsThatAreNotFinite) {
  const SpreadWorld both(test_garnet(20, 0.9));
  Matrix cost = both.own(both.world.signals.at("reward"));
  if (job().leads()) cost(0, 0) = std::nan("");
  EXPECT_THROW(spread_policy_iteration(both.spread, cost), InvalidInput);
}

}  // namespace
}  // namespace rgu
