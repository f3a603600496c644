#include "rgu/experiment/demonstrations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mdp/file_testing.hpp"
#include "rgu/mdp/generators.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/mdp/planning.hpp"

namespace rgu {
namespace {

using testing::HasSubstr;

const World& world() {
  static const World kWorld = grid_world("S.\n.G", {.slip = 0.2, .discount = 0.5});
  return kWorld;
}

Matrix parsed(const std::string& text) {
  return parse_demonstrations({.file = "d.csv", .text = text}, world().mdp);
}

// discount 1/2: weights 1, 1/2 and 1 at (0,1), (1,2), (2,0); their sum is 5/2.
TEST(Demonstrations, CountDiscountedStepsAndSumToOne) {
  const Matrix occupancy = parsed("trajectory,step,state,action\n0,0,0,1\n0,1,1,2\n7,0,2,0\n");
  Matrix expected = Matrix::Zero(4, 4);
  expected(0, 1) = 0.4;
  expected(1, 2) = 0.2;
  expected(2, 0) = 0.4;
  EXPECT_TRUE(occupancy.isApprox(expected, 1e-15));
}

TEST(Demonstrations, MayComeInAnyOrderOfRowsAndColumns) {
  const Matrix expected = parsed("trajectory,step,state,action\n0,0,0,1\n0,1,1,2\n7,0,2,0\n");
  EXPECT_EQ(parsed("action, state, step, trajectory\r\n0,2,0,7\r\n\r\n2,1,1,0\r\n1,0,0,0\r\n"),
            expected);
}

class RefusedDemonstrations : public testing::TestWithParam<Refused> {};

TEST_P(RefusedDemonstrations, NameFileAndLine) {
  expect_parts(thrown_by([] { parsed(GetParam().text); }), GetParam().parts);
}

INSTANTIATE_TEST_SUITE_P(
    Files, RefusedDemonstrations,
    testing::Values(
        Refused{"Empty", "", {"d.csv:", "no header line", "trajectory,step,state,action"}},
        Refused{"NoSteps", "trajectory,step,state,action\n", {"d.csv:1", "no steps"}},
        Refused{"UnknownColumn", "trajectory,time,state,action\n", {"d.csv:1: column 2 is 'time'"}},
        Refused{"ColumnTwice", "step,step,state,action\n", {"d.csv:1: column step occurs twice"}},
        Refused{"FewColumns", "trajectory,step,state\n", {"d.csv:1: ", "3 columns"}},
        Refused{"ManyColumns", "trajectory,step,state,action,reward\n", {"d.csv:1: ", "more"}},
        Refused{"StateBeyond",
                "trajectory,step,state,action\n0,0,0,1\n0,1,4,0\n",
                {"d.csv:3: state is 4, must be in 0 .. 3"}},
        Refused{"ActionBeyond",
                "trajectory,step,state,action\n0,0,0,4\n",
                {"d.csv:2: action is 4, must be in 0 .. 3"}},
        Refused{
            "NegativeStep", "trajectory,step,state,action\n0,-1,0,0\n", {"d.csv:2: step is '-1'"}},
        Refused{"NoNumber", "trajectory,step,state,action\n0,0,x,0\n", {"d.csv:2: state is 'x'"}},
        Refused{"FewFields", "trajectory,step,state,action\n0,0,0\n", {"d.csv:2: ", "','"}},
        Refused{"ManyFields",
                "trajectory,step,state,action\n0,0,0,0,0\n",
                {"d.csv:2: ", "more than 4"}},
        Refused{"StepTwice",
                "trajectory,step,state,action\n0,0,0,0\n0,1,0,0\n0,1,0,1\n",
                {"d.csv:4: trajectory 0 has step 1 twice"}},
        Refused{"Gap",
                "trajectory,step,state,action\n0,0,0,0\n0,2,0,0\n",
                {"d.csv:3: trajectory 0 has step 2 but no step 1"}},
        Refused{"LateBeginning",
                "trajectory,step,state,action\n3,1,0,0\n",
                {"d.csv:2: trajectory 3 has step 1 but no step 0"}}),
    name_of_case);

TEST(Demonstrations, FromAMissingFileAreRefused) {
  const DemonstrationsConfig config{.file = "/no/such/d.csv", .expert = {}};
  EXPECT_THAT(thrown_by([&] { demonstrated_occupancy(config, world(), 0); }),
              HasSubstr("/no/such/d.csv"));
}

// 4000 trajectories: entries are means of terms in [0, 1 / 0.9995], so 4 standard errors are at
// most 4 * 0.5 / sqrt(4000) = 0.032.
TEST(Expert, VisitsWhatItsOptimalPolicyVisits) {
  const DemonstrationsConfig config{
      .file = {}, .expert = ExpertConfig{.signal = "goal", .trajectories = 4000, .horizon = 12}};
  const Plan plan = optimal_plan(world().mdp, -world().signals.at("goal"));
  const Matrix exact = occupancy(world().mdp, deterministic_policy(plan.action, 4));
  const Matrix sampled = demonstrated_occupancy(config, world(), 5);
  EXPECT_NEAR(sampled.sum(), 1.0, 1e-12);
  EXPECT_LT((sampled - exact).cwiseAbs().maxCoeff(), 0.032);
  EXPECT_EQ(demonstrated_occupancy(config, world(), 5), sampled);
  EXPECT_NE(demonstrated_occupancy(config, world(), 6), sampled);
}

TEST(Expert, NeedsASignalOfTheWorld) {
  const DemonstrationsConfig config{.file = {}, .expert = ExpertConfig{.signal = "gaol"}};
  EXPECT_EQ(thrown_by([&] { demonstrated_occupancy(config, world(), 0); }),
            "no signal 'gaol' in the world, which has goal, hazard, reward; did you mean 'goal'?");
}

}  // namespace
}  // namespace rgu
