#include "rgu/mdp/generators.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "laws/world_laws.hpp"
#include "mdp/file_testing.hpp"

namespace rgu {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr Index kHuge = std::numeric_limits<Index>::max();

Vector row_of(const World& world, Index state, Index action) {
  const Index row = state * world.mdp.actions() + action;
  if (!world.mdp.is_sparse()) return world.mdp.dense_kernel().row(row);
  return Vector(world.mdp.sparse_kernel().row(row).transpose());
}

Vector numbers(std::initializer_list<double> values) {
  return Eigen::Map<const Vector>(values.begin(), std::ssize(values));
}

World seeded_random_model() {
  Rng rng(1);
  return random_model({}, rng);
}

World seeded_garnet(const GarnetOptions& options) {
  Rng rng(2);
  return garnet(options, rng);
}

World seeded_grid() {
  Rng rng(3);
  return grid_world(random_grid_map({.rows = 6, .columns = 9}, rng), {.slip = 0.3});
}

INSTANTIATE_TEST_SUITE_P(
    Generators, WorldLaws,
    testing::Values(
        WorldCase{"RandomModel", seeded_random_model},
        WorldCase{"Garnet", [] { return seeded_garnet({}); }},
        WorldCase{"GarnetWithOneSuccessor", [] { return seeded_garnet({.branching = 1}); }},
        WorldCase{"GarnetWithAllSuccessors",
                  [] { return seeded_garnet({.states = 7, .branching = 7}); }},
        WorldCase{"RandomGrid", seeded_grid},
        WorldCase{"GridWithoutSlip", [] { return grid_world("S.#\nSHG\n", {.slip = 0}); }},
        WorldCase{"GridThatAlwaysSlips", [] { return grid_world("S.#\n.HG", {.slip = 1}); }},
        WorldCase{"RiverSwim", [] { return river_swim(); }},
        WorldCase{"LongRiverSwim", [] { return river_swim({.states = 40}); }},
        WorldCase{"Inventory", [] { return inventory(); }},
        WorldCase{"InventoryWithSmallOrders",
                  [] { return inventory({.capacity = 30, .largest_order = 2}); }}),
    name_of_world);

TEST(RandomModel, HasThePaperSizesAndAUniformStart) {
  const World world = seeded_random_model();
  EXPECT_EQ(world.mdp.states(), 10);
  EXPECT_EQ(world.mdp.actions(), 5);
  EXPECT_EQ(world.mdp.discount(), 0.95);
  EXPECT_EQ(world.mdp.start(), Vector::Constant(10, 0.1));
  EXPECT_FALSE(world.mdp.is_sparse());
  EXPECT_GT(world.mdp.dense_kernel().minCoeff(), 0.0);
}

// The first row is the first S draws, one minus each, over their sum.
TEST(RandomModel, DividesPositiveDrawsByTheirSum) {
  Rng rng(5);
  const World world = random_model({.states = 3, .actions = 2}, rng);
  Rng same(5);
  Vector draws(3);
  for (double& x : draws) x = 1.0 - same.uniform();
  EXPECT_TRUE(row_of(world, 0, 0).isApprox(draws / draws.sum(), 1e-15));
}

TEST(RandomModel, DependsOnTheRng) {
  Rng rng(1, 1);
  EXPECT_NE(random_model({}, rng).mdp.dense_kernel(), seeded_random_model().mdp.dense_kernel());
}

TEST(RandomModel, RefusesSizesAndDiscountsOutOfRange) {
  Rng rng(1);
  EXPECT_THAT(thrown_by([&] { random_model({.states = 0}, rng); }),
              AllOf(HasSubstr("number of states is 0"), HasSubstr("at least 1")));
  EXPECT_THAT(thrown_by([&] { random_model({.actions = -1}, rng); }),
              HasSubstr("number of actions is -1"));
  EXPECT_THAT(thrown_by([&] { random_model({.discount = 1}, rng); }), HasSubstr("discount is 1"));
}

TEST(Garnet, HasTheAskedNumberOfSuccessorsEverywhere) {
  const World world = seeded_garnet({.states = 30, .actions = 3, .branching = 4});
  ASSERT_TRUE(world.mdp.is_sparse());
  for (Index row = 0; row < 90; ++row) {
    EXPECT_EQ(world.mdp.sparse_kernel().row(row).nonZeros(), 4);
  }
  EXPECT_EQ(world.mdp.start(), Vector::Constant(30, 1.0 / 30));
}

// With 4 states and 2 successors there are 6 sets. Over N rows each count is binomial with mean
// N / 6 and variance N 5 / 36; 4.5 standard deviations.
TEST(Garnet, DrawsEverySetOfSuccessorsEquallyOften) {
  constexpr Index kRows = 12000;
  const World world = seeded_garnet({.states = 4, .actions = kRows / 4, .branching = 2});
  std::map<std::pair<int, int>, int> counts;
  const SparseMatrix& kernel = world.mdp.sparse_kernel();
  for (Index row = 0; row < kRows; ++row) {
    ++counts[{kernel.innerIndexPtr()[2 * row], kernel.innerIndexPtr()[2 * row + 1]}];
  }
  ASSERT_EQ(counts.size(), 6u);
  for (const auto& [pair, count] : counts) {
    EXPECT_NEAR(count, kRows / 6.0, 4.5 * std::sqrt(kRows * 5.0 / 36)) << pair.first << pair.second;
  }
}

// A piece of [0, 1] cut at b - 1 uniform points has the law Beta(1, b - 1): E p^2 = 2 / (b (b + 1))
// and E p^4 = 24 / (b (b + 1) (b + 2) (b + 3)). With b = 3: 1/6 and 1/15. One piece from each row.
TEST(Garnet, DrawsProbabilitiesAsPiecesBetweenUniformCuts) {
  constexpr Index kRows = 20000;
  const World world = seeded_garnet({.states = 10, .actions = kRows / 10, .branching = 3});
  for (Index piece = 0; piece < 3; ++piece) {
    double mean = 0;
    double square = 0;
    for (Index row = 0; row < kRows; ++row) {
      const double p = world.mdp.sparse_kernel().valuePtr()[3 * row + piece];
      mean += p / kRows;
      square += p * p / kRows;
    }
    EXPECT_NEAR(mean, 1.0 / 3, 4 * std::sqrt((1.0 / 6 - 1.0 / 9) / kRows));
    EXPECT_NEAR(square, 1.0 / 6, 4 * std::sqrt((1.0 / 15 - 1.0 / 36) / kRows));
  }
}

TEST(Garnet, DrawsStandardNormalRewards) {
  const Matrix reward = seeded_garnet({.states = 500, .actions = 40}).signals.at("reward");
  const double root = std::sqrt(static_cast<double>(reward.size()));
  EXPECT_NEAR(reward.mean(), 0.0, 4 / root);
  EXPECT_NEAR(reward.squaredNorm() / static_cast<double>(reward.size()), 1.0,
              4 * std::sqrt(2.0) / root);
}

// If a row cost time or memory in proportion to the states, this would take 4e10 of either.
TEST(Garnet, MakesRowsAtACostThatDoesNotDependOnTheStates) {
  const World world = seeded_garnet({.states = 200000, .actions = 1, .branching = 3});
  EXPECT_EQ(world.mdp.transitions(), 600000);
}

TEST(Garnet, RefusesOptionsOutOfRange) {
  Rng rng(1);
  EXPECT_THAT(thrown_by([&] { garnet({.branching = 0}, rng); }),
              AllOf(HasSubstr("branching is 0"), HasSubstr("1 .. 100")));
  EXPECT_THAT(thrown_by([&] { garnet({.states = 3, .branching = 4}, rng); }),
              AllOf(HasSubstr("branching is 4"), HasSubstr("1 .. 3")));
  EXPECT_THAT(thrown_by([&] { garnet({.states = 0}, rng); }), HasSubstr("number of states is 0"));
  EXPECT_THAT(thrown_by([&] { garnet({.actions = 0}, rng); }), HasSubstr("number of actions is 0"));
  EXPECT_THAT(thrown_by([&] { garnet({.states = kHuge}, rng); }), HasSubstr("too large"));
  EXPECT_THAT(thrown_by([&] { garnet({.actions = kHuge}, rng); }), HasSubstr("too large"));
  EXPECT_THAT(
      thrown_by([&] { garnet({.states = 100000, .actions = 1000, .branching = 1000}, rng); }),
      HasSubstr("too large"));
  EXPECT_THAT(thrown_by([&] { garnet({.discount = 0}, rng); }), HasSubstr("discount is 0"));
}

// The 2 x 2 map with states   0 1   slip 0.2. From state 0:
//                             2 3
//   north: 0.8 off the map (stays), 0.1 east to 1, 0.1 west off the map  -> 0.9, 0.1, 0, 0
//   east:  0.8 to 1, 0.1 south to 2, 0.1 north off the map              -> 0.1, 0.8, 0.1, 0
//   south: 0.8 to 2, 0.1 west off the map, 0.1 east to 1                -> 0.1, 0.1, 0.8, 0
//   west:  0.8 off the map, 0.1 north off the map, 0.1 south to 2       -> 0.9, 0, 0.1, 0
// From state 1, south: 0.8 to 3, 0.1 west to 0, 0.1 east off the map    -> 0.1, 0.1, 0, 0.8
TEST(GridWorld, StepsAndSlipsOnTheTwoByTwoMap) {
  const World world = grid_world("S.\n.G\n", {.slip = 0.2, .discount = 0.9});
  EXPECT_TRUE(row_of(world, 0, 0).isApprox(numbers({0.9, 0.1, 0, 0}), 1e-15));
  EXPECT_TRUE(row_of(world, 0, 1).isApprox(numbers({0.1, 0.8, 0.1, 0}), 1e-15));
  EXPECT_TRUE(row_of(world, 0, 2).isApprox(numbers({0.1, 0.1, 0.8, 0}), 1e-15));
  EXPECT_TRUE(row_of(world, 0, 3).isApprox(numbers({0.9, 0, 0.1, 0}), 1e-15));
  EXPECT_TRUE(row_of(world, 1, 2).isApprox(numbers({0.1, 0.1, 0, 0.8}), 1e-15));
  EXPECT_EQ(world.mdp.start(), numbers({1, 0, 0, 0}));
  EXPECT_EQ(world.mdp.discount(), 0.9);
}

// From the goal, state 3, north: 0.8 to 1, 0.1 east off the map, 0.1 west to 2.
TEST(GridWorld, GoalsAbsorbUnlessTheyAreOpen) {
  const World absorbing = grid_world("S.\n.G", {.slip = 0.2});
  const World open = grid_world("S.\n.G", {.slip = 0.2, .goals = GoalCells::kOpen});
  for (Index a = 0; a < 4; ++a) EXPECT_EQ(row_of(absorbing, 3, a), numbers({0, 0, 0, 1}));
  EXPECT_TRUE(row_of(open, 3, 0).isApprox(numbers({0, 0.8, 0.1, 0.1}), 1e-15));
}

// States 0 .. 4 in the order S a # / b a G.
TEST(GridWorld, MarkedCellsAreFreeAndMakeASignalEach) {
  const World marked = grid_world("Sa#\nbaG");
  const World plain = grid_world("S.#\n..G");
  EXPECT_TRUE(Matrix(marked.mdp.sparse_kernel()) == Matrix(plain.mdp.sparse_kernel()));
  ASSERT_EQ(marked.signals.size(), plain.signals.size() + 2);
  EXPECT_EQ(marked.signals.at("a"), Matrix(numbers({0, 1, 0, 1, 0}).replicate(1, 4)));
  EXPECT_EQ(marked.signals.at("b"), Matrix(numbers({0, 0, 1, 0, 0}).replicate(1, 4)));
  EXPECT_EQ(marked.signals.at("goal"), plain.signals.at("goal"));
}

TEST(GridWorld, WallsHaveNoStateAndStopSteps) {
  const World world = grid_world("S#G\r\n.#H\r\n", {.slip = 0});
  ASSERT_TRUE(world.grid.has_value());
  EXPECT_EQ(world.grid->rows, 2);
  EXPECT_EQ(world.grid->columns, 3);
  EXPECT_THAT(world.grid->cell_of_state, testing::ElementsAre(0, 2, 3, 5));
  EXPECT_EQ(row_of(world, 0, 1), numbers({1, 0, 0, 0}));
  EXPECT_EQ(row_of(world, 0, 2), numbers({0, 0, 1, 0}));
  EXPECT_EQ(row_of(world, 3, 0), numbers({0, 1, 0, 0}));
}

TEST(GridWorld, MarksGoalsAndHazardsForEveryAction) {
  const World world = grid_world("SSGH");
  EXPECT_EQ(world.signals.at("reward"), numbers({0, 0, 1, 0}).replicate(1, 4));
  EXPECT_EQ(world.signals.at("goal"), numbers({0, 0, 1, 0}).replicate(1, 4));
  EXPECT_EQ(world.signals.at("hazard"), numbers({0, 0, 0, 1}).replicate(1, 4));
  EXPECT_EQ(world.mdp.start(), numbers({0.5, 0.5, 0, 0}));
}

TEST(GridWorld, RefusesMapsAndOptionsThatBreakTheRules) {
  EXPECT_THAT(thrown_by([] { grid_world(""); }), HasSubstr("grid map is empty"));
  EXPECT_THAT(thrown_by([] { grid_world("\nS"); }), HasSubstr("line 1 has 0 cells"));
  EXPECT_THAT(thrown_by([] { grid_world("S.\n.\n"); }), HasSubstr("line 2 has 1 cells"));
  EXPECT_THAT(thrown_by([] { grid_world("S.\n.X\n"); }),
              AllOf(HasSubstr("line 2 column 2 is 'X'"), HasSubstr("#.SGH")));
  EXPECT_THAT(thrown_by([] { grid_world("..G"); }), HasSubstr("no start cell"));
  EXPECT_THAT(thrown_by([] { grid_world("###"); }), HasSubstr("no start cell"));
  EXPECT_THAT(thrown_by([] { grid_world("S", {.slip = 1.5}); }), HasSubstr("slip is 1.5"));
  EXPECT_THAT(thrown_by([] { grid_world("S", {.slip = std::nan("")}); }), HasSubstr("slip is nan"));
  EXPECT_THAT(thrown_by([] { grid_world("S", {.discount = 2}); }), HasSubstr("discount is 2"));
}

TEST(RandomGridMap, PutsStartAndGoalInOppositeCornersWithAWayBetween) {
  Rng rng(4);
  for (int draw = 0; draw < 20; ++draw) {
    const std::string map =
        random_grid_map({.rows = 5, .columns = 7, .wall_probability = 0.4}, rng);
    ASSERT_EQ(map.size(), 5u * 8);
    EXPECT_EQ(map.front(), 'S');
    EXPECT_EQ(map[map.size() - 2], 'G');
    // The way: with steps in all directions mixed, mass from S arrives at G.
    const World world = grid_world(map, {.slip = 0.5});
    Vector mass = world.mdp.start();
    for (int step = 0; step < 35; ++step) {
      mass = world.mdp.push_forward(mass.replicate(1, 4) / 4);
    }
    EXPECT_GT(mass(mass.size() - 1), 0.0);
  }
}

// 0.2 walls over 98 x 98 cells, 0.1 hazards of the rest: 4 standard deviations.
TEST(RandomGridMap, DrawsWallsAndHazardsWithTheirProbabilities) {
  Rng rng(6);
  const std::string map = random_grid_map({.rows = 98, .columns = 98}, rng);
  const double cells = 98 * 98 - 2;
  EXPECT_NEAR(std::count(map.begin(), map.end(), '#') / cells, 0.2, 4 * std::sqrt(0.16 / cells));
  EXPECT_NEAR(std::count(map.begin(), map.end(), 'H') / cells, 0.08,
              4 * std::sqrt(0.08 * 0.92 / cells));
}

TEST(RandomGridMap, RefusesOptionsOutOfRange) {
  Rng rng(1);
  EXPECT_THAT(thrown_by([&] { random_grid_map({.rows = 0}, rng); }),
              HasSubstr("number of rows is 0"));
  EXPECT_THAT(thrown_by([&] { random_grid_map({.columns = 0}, rng); }),
              HasSubstr("number of columns is 0"));
  EXPECT_THAT(thrown_by([&] { random_grid_map({.rows = 1, .columns = 1}, rng); }),
              HasSubstr("1 x 1"));
  EXPECT_THAT(thrown_by([&] { random_grid_map({.rows = kHuge, .columns = kHuge}, rng); }),
              HasSubstr("at most"));
  EXPECT_THAT(thrown_by([&] { random_grid_map({.wall_probability = 1}, rng); }),
              HasSubstr("wall probability is 1"));
  EXPECT_THAT(thrown_by([&] { random_grid_map({.hazard_probability = -0.1}, rng); }),
              HasSubstr("hazard probability is -0.1"));
  EXPECT_THAT(thrown_by([&] {
                random_grid_map({.rows = 20, .columns = 20, .wall_probability = 0.95}, rng);
              }),
              AllOf(HasSubstr("wall probability is 0.95"), HasSubstr("20 x 20")));
}

// Rows of the six-state chain, and the expected rewards 5 for (0, left) and 0.3 * 10000 for
// (5, right).
TEST(RiverSwim, IsThePublishedChain) {
  const World world = river_swim();
  ASSERT_EQ(world.mdp.states(), 6);
  ASSERT_EQ(world.mdp.actions(), 2);
  EXPECT_EQ(row_of(world, 0, 0), numbers({1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(row_of(world, 0, 1), numbers({0.7, 0.3, 0, 0, 0, 0}));
  EXPECT_EQ(row_of(world, 1, 0), numbers({1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(row_of(world, 1, 1), numbers({0.1, 0.6, 0.3, 0, 0, 0}));
  EXPECT_EQ(row_of(world, 4, 1), numbers({0, 0, 0, 0.1, 0.6, 0.3}));
  EXPECT_EQ(row_of(world, 5, 0), numbers({0, 0, 0, 0, 1, 0}));
  EXPECT_EQ(row_of(world, 5, 1), numbers({0, 0, 0, 0, 0.7, 0.3}));
  EXPECT_EQ(world.mdp.start(), numbers({0, 0.5, 0.5, 0, 0, 0}));
  Matrix reward = Matrix::Zero(6, 2);
  reward(0, 0) = 5;
  reward(5, 1) = 3000;
  EXPECT_EQ(world.signals.at("reward"), reward);
}

TEST(RiverSwim, RefusesOptionsOutOfRange) {
  EXPECT_THAT(thrown_by([] { river_swim({.states = 2}); }),
              AllOf(HasSubstr("number of states is 2"), HasSubstr("at least 3")));
  EXPECT_THAT(thrown_by([] { river_swim({.states = kHuge}); }), HasSubstr("too large"));
  EXPECT_THAT(thrown_by([] { river_swim({.small_reward = NAN}); }), HasSubstr("small reward"));
  EXPECT_THAT(thrown_by([] { river_swim({.large_reward = INFINITY}); }), HasSubstr("large reward"));
  EXPECT_THAT(thrown_by([] { river_swim({.discount = 1}); }), HasSubstr("discount is 1"));
}

// Capacity 1, mean demand 1, largest demand 2: P(D = 0) = 1/e, P(D = 1) = 1/e, P(D = 2) = 1 - 2/e.
// After the order there are y units. y = 0: nothing sold, 1/e + 2 (1 - 2/e) = 2 - 3/e lost.
// y = 1: sold 1 - 1/e, left 1/e, lost 1 - 2/e; next stock 1 with 1/e, else 0.
// Price 10, cost 3, holding 2. (0, order 1): 10 (1 - 1/e) - 3 - 2/e. (1, order 1) is cut to order
// 0.
TEST(Inventory, SolvesByHandForCapacityOne) {
  const World world = inventory({.capacity = 1,
                                 .mean_demand = 1,
                                 .largest_demand = 2,
                                 .price = 10,
                                 .unit_cost = 3,
                                 .holding_cost = 2});
  const double e = std::exp(-1.0);
  EXPECT_TRUE(row_of(world, 0, 0).isApprox(numbers({1, 0}), 1e-15));
  for (const auto& [s, a] : {std::pair{0, 1}, {1, 0}, {1, 1}}) {
    EXPECT_TRUE(row_of(world, s, a).isApprox(numbers({1 - e, e}), 1e-15));
    EXPECT_NEAR(world.signals.at("revenue")(s, a), 10 * (1 - e), 1e-14);
    EXPECT_NEAR(world.signals.at("holding")(s, a), 2 * e, 1e-14);
    EXPECT_NEAR(world.signals.at("lost_sales")(s, a), 1 - 2 * e, 1e-14);
  }
  EXPECT_NEAR(world.signals.at("lost_sales")(0, 0), 2 - 3 * e, 1e-14);
  EXPECT_EQ(world.signals.at("revenue")(0, 0), 0.0);
  Matrix ordering(2, 2);
  ordering << 0, 3, 0, 0;
  EXPECT_EQ(world.signals.at("ordering"), ordering);
  EXPECT_NEAR(world.signals.at("reward")(0, 1), 10 * (1 - e) - 3 - 2 * e, 1e-14);
  EXPECT_EQ(world.mdp.start(), numbers({1, 0}));
}

TEST(Inventory, RewardIsRevenueLessOrderingLessHolding) {
  const World world = inventory();
  const Matrix expected =
      world.signals.at("revenue") - world.signals.at("ordering") - world.signals.at("holding");
  EXPECT_EQ(world.signals.at("reward"), expected);
}

// Demand is met or lost: E min(y, D) + E max(D - y, 0) = E D, at price 1, in every pair; and E D is
// the Poisson mean up to the mass cut off, which is below 1e-9 here.
TEST(Inventory, SalesAndLostSalesAddUpToDemand) {
  const World world = inventory({.mean_demand = 3, .largest_demand = 25, .price = 1});
  const Matrix demand = world.signals.at("revenue") + world.signals.at("lost_sales");
  EXPECT_LT((demand.array() - 3.0).abs().maxCoeff(), 1e-9);
}

TEST(Inventory, WorksWhereThePoissonLawUnderflows) {
  const World world = inventory({.capacity = 3, .mean_demand = 2000, .largest_demand = 5});
  EXPECT_EQ(row_of(world, 3, 0), numbers({1, 0, 0, 0}));
}

TEST(Inventory, RefusesOptionsOutOfRange) {
  const auto message = [](const InventoryOptions& options) {
    return thrown_by([&] { inventory(options); });
  };
  EXPECT_THAT(message({.capacity = 0}), HasSubstr("capacity is 0"));
  EXPECT_THAT(message({.largest_order = 0}), HasSubstr("largest order is 0"));
  EXPECT_THAT(message({.mean_demand = 0}), HasSubstr("mean demand is 0"));
  EXPECT_THAT(message({.largest_demand = 0}), HasSubstr("largest demand is 0"));
  EXPECT_THAT(message({.price = -1}), HasSubstr("price is -1"));
  EXPECT_THAT(message({.unit_cost = -1}), HasSubstr("unit cost is -1"));
  EXPECT_THAT(message({.holding_cost = INFINITY}), HasSubstr("holding cost is inf"));
  EXPECT_THAT(message({.discount = -1}), HasSubstr("discount is -1"));
  EXPECT_THAT(message({.capacity = 100000}), HasSubstr("too large"));
  EXPECT_THAT(message({.capacity = kHuge}), HasSubstr("too large"));
  EXPECT_THAT(message({.largest_order = kHuge}), HasSubstr("too large"));
  EXPECT_THAT(message({.largest_demand = kHuge}), HasSubstr("must be at most 1000000"));
}

}  // namespace
}  // namespace rgu
