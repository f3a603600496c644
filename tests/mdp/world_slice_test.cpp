#include "rgu/mdp/world_slice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "mdp/file_testing.hpp"
#include "mdp/same_slice.hpp"
#include "rgu/mdp/generators.hpp"

namespace rgu {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A generator, and the same for a slice.
struct SliceCase {
  std::string name;
  std::function<World()> whole;
  std::function<WorldSlice(const StateRange&)> slice;
};

void PrintTo(const SliceCase& generator, std::ostream* out) { *out << generator.name; }

SliceCase garnet_case(const std::string& name, const GarnetOptions& options) {
  return {name,
          [=] {
            Rng rng(4);
            return garnet(options, rng);
          },
          [=](const StateRange& own) {
            Rng rng(4);
            return garnet_slice(options, own, rng);
          }};
}

const char* const kMap = "S.a#\n.H.b\nS#.G\n";

class GeneratorSlices : public testing::TestWithParam<SliceCase> {};

TEST_P(GeneratorSlices, AreThoseOfTheWhole) {
  const World world = GetParam().whole();
  for (const StateRange& own : partition_ranges(world.mdp.states())) {
    SCOPED_TRACE(testing::Message() << own.first << " .. " << own.last);
    expect_same_slice(GetParam().slice(own), slice_of(world, own));
  }
}

TEST_P(GeneratorSlices, RefuseRangesOutsideTheStates) {
  const Index states = GetParam().whole().mdp.states();
  for (const StateRange& own : {StateRange{-1, 1}, {2, 1}, {0, states + 1}}) {
    EXPECT_THAT(thrown_by([&] { GetParam().slice(own); }), HasSubstr("range of states"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Generators, GeneratorSlices,
    testing::Values(
        garnet_case("Garnet", {.states = 13, .actions = 3, .branching = 4}),
        garnet_case("GarnetByState",
                    {.states = 13, .actions = 3, .branching = 4, .row_streams = true}),
        SliceCase{"Grid", [] { return grid_world(kMap, {.slip = 0.3}); },
                  [](const StateRange& own) { return grid_world_slice(kMap, {.slip = 0.3}, own); }},
        SliceCase{"RiverSwim", [] { return river_swim({.states = 7}); },
                  [](const StateRange& own) { return river_swim_slice({.states = 7}, own); }},
        SliceCase{"Inventory", [] { return inventory(); },
                  [](const StateRange& own) { return inventory_slice({}, own); }},
        SliceCase{
            "InventoryWithSmallOrders", [] { return inventory({.largest_order = 3}); },
            [](const StateRange& own) { return inventory_slice({.largest_order = 3}, own); }}),
    [](const auto& generator) { return generator.param.name; });

TEST(GarnetByState, IsAnotherModelOfTheSameKind) {
  GarnetOptions options{.states = 2000, .actions = 5, .branching = 3};
  Rng one(4), other(4);
  const World plain = garnet(options, one);
  options.row_streams = true;
  const World by_state = garnet(options, other);
  EXPECT_EQ(by_state.mdp.transitions(), plain.mdp.transitions());
  EXPECT_NE(by_state.signals.at("reward"), plain.signals.at("reward"));
  const Matrix& reward = by_state.signals.at("reward");
  const double root = std::sqrt(static_cast<double>(reward.size()));
  EXPECT_NEAR(reward.mean(), 0.0, 4 / root);
  EXPECT_NEAR(reward.squaredNorm() / static_cast<double>(reward.size()), 1.0,
              4 * std::sqrt(2.0) / root);
  // Successors are uniform: their mean is (S - 1) / 2, with variance (S^2 - 1) / 12 for each, and
  // less for those drawn without replacement.
  double sum = 0;
  for (Index i = 0; i < by_state.mdp.transitions(); ++i) {
    sum += by_state.mdp.sparse_kernel().innerIndexPtr()[i];
  }
  const auto entries = static_cast<double>(by_state.mdp.transitions());
  EXPECT_NEAR(sum / entries, 999.5, 4 * std::sqrt((4e6 - 1) / 12 / entries));
}

// The whole has 4 * 10^11 transitions.
TEST(GarnetByState, MakesASliceOfAModelThatNoKernelHolds) {
  const GarnetOptions options{
      .states = 10000000, .actions = 1000, .branching = 40, .row_streams = true};
  Rng rng(1), again(1);
  EXPECT_THAT(thrown_by([&] { garnet(options, rng); }), HasSubstr("too large"));
  const WorldSlice slice = garnet_slice(options, {9999997, 10000000}, again);
  EXPECT_EQ(slice.rows.nonZeros(), 3 * 1000 * 40);
  EXPECT_EQ(slice.start, Vector::Constant(3, 1e-7));
}

TEST(GeneratorSizes, AreThoseOfTheModel) {
  EXPECT_EQ(grid_world_size(kMap), (ModelSize{10, 4}));
  EXPECT_EQ(inventory_size({.capacity = 6, .largest_order = 2}), (ModelSize{7, 3}));
}

TEST(WorldSlice, OfADenseWorldTakesWhatIsNotZero) {
  Matrix kernel(4, 2);
  kernel << 1, 0, 0.5, 0.5, 0, 1, 0.25, 0.75;
  const World world{.mdp = FiniteMdp(kernel, Vector::Unit(2, 1), 0.9)};
  const WorldSlice slice = slice_of(world, {1, 2});
  EXPECT_EQ(slice.rows.nonZeros(), 3);
  EXPECT_EQ(Matrix(slice.rows), kernel.bottomRows(2));
  EXPECT_EQ(slice.start, Vector::Ones(1));
}

TEST(WorldSlice, ThatOwnsAllIsTheWorld) {
  World world = inventory();
  expect_same_world(world_of(slice_of(world, {0, world.mdp.states()})), world);
  EXPECT_THAT(thrown_by([&] {
                world_of(slice_of(world, {1, 3}));
              }),
              AllOf(HasSubstr("1 .. 3"), HasSubstr("all of 0 .. 11")));
}

TEST(WorldSlice, ChecksItsParts) {
  const WorldSlice good = slice_of(river_swim(), {2, 4});
  const auto message = [&](const std::function<void(WorldSlice&)>& damage) {
    WorldSlice slice = good;
    damage(slice);
    return thrown_by([&] { check_slice(slice); });
  };
  check_slice(good);
  EXPECT_THAT(message([](auto& s) { s.discount = 1; }), HasSubstr("discount is 1"));
  EXPECT_THAT(message([](auto& s) { s.own = {2, 9}; }), HasSubstr("range of states"));
  EXPECT_THAT(message([](auto& s) { s.own = {2, 3}; }), HasSubstr("rows of the slice"));
  EXPECT_THAT(message([](auto& s) { s.states = 9; }), HasSubstr("columns of the slice"));
  EXPECT_THAT(message([](auto& s) { s.start.resize(1); }), HasSubstr("start of the slice"));
  EXPECT_THAT(message([](auto& s) { s.start(1) = -1; }), HasSubstr("start probability s=3 is -1"));
  EXPECT_THAT(message([](auto& s) { s.rows.valuePtr()[0] = 0.5; }),
              HasSubstr("transition row s=2 a=0 sums to 0.5"));
  EXPECT_THAT(message([](auto& s) { s.rows.valuePtr()[0] = NAN; }),
              HasSubstr("transition probability s=2 a=0 s'=1 is nan"));
  EXPECT_THAT(message([](auto& s) { s.signals["reward"](0, 0) = INFINITY; }), HasSubstr("signal"));
}

}  // namespace
}  // namespace rgu
