#include "rgu/experiment/model_slice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mdp/file_testing.hpp"
#include "mdp/same_slice.hpp"
#include "rgu/experiment/instance.hpp"
#include "rgu/mdp/io/world_file.hpp"

namespace rgu {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kSeed = 3;

struct ModelCase {
  std::string name;
  std::string model;               // the table [model]
  std::string utility = "reward";  // one that the model has signals for
};

void PrintTo(const ModelCase& model, std::ostream* out) { *out << model.name; }

ProblemConfig config_of(const ModelCase& model, const std::filesystem::path& folder = {}) {
  return read_config({"p.toml",
                      "[model]\n" + model.model + "[utility]\ntype = '" + model.utility +
                          "'\n[ambiguity]\nset = 'singleton'\n",
                      folder});
}

void expect_slices_of_the_instance(const ProblemConfig& config) {
  const World world = make_instance(config, kSeed).world;
  EXPECT_EQ(model_size(config.model, kSeed), (ModelSize{world.mdp.states(), world.mdp.actions()}));
  expect_same_world(make_world(config.model, kSeed), world);
  for (const StateRange& own : partition_ranges(world.mdp.states())) {
    SCOPED_TRACE(testing::Message() << own.first << " .. " << own.last);
    expect_same_slice(make_slice(config.model, kSeed, own), slice_of(world, own));
  }
}

class ModelSlices : public testing::TestWithParam<ModelCase> {};

TEST_P(ModelSlices, TogetherAreTheWorldOfTheInstance) {
  expect_slices_of_the_instance(config_of(GetParam()));
}

TEST_P(ModelSlices, FollowTheSeedOfTheModel) {
  ProblemConfig config = config_of(GetParam());
  config.model.seed = 11;
  expect_slices_of_the_instance(config);
}

INSTANTIATE_TEST_SUITE_P(
    Generators, ModelSlices,
    testing::Values(
        ModelCase{"Random", "generator = 'random'\nstates = 7\nactions = 2\n", "entropy"},
        ModelCase{"Garnet", "generator = 'garnet'\nstates = 11\nactions = 3\nbranching = 4\n"},
        ModelCase{"GarnetByState",
                  "generator = 'garnet'\nstates = 11\nactions = 3\nbranching = 4\n"
                  "row_streams = true\n"},
        ModelCase{"Grid", "generator = 'grid'\nmap = \"\"\"\nS.a\nH#G\n\"\"\"\n"},
        ModelCase{"RandomGrid", "generator = 'random-grid'\nrows = 4\ncolumns = 5\n"},
        ModelCase{"RiverSwim", "generator = 'river-swim'\nstates = 8\n"},
        ModelCase{"Inventory", "generator = 'inventory'\ncapacity = 6\n"}),
    [](const auto& model) { return model.param.name; });

TEST(ModelSlicesOfFiles, TogetherAreTheWorldOfTheInstance) {
  const TemporaryFolder folder;
  for (const std::string name : {"m.rgum", "m.json", "m.csv", "m.tra"}) {
    SCOPED_TRACE(name);
    write_world(folder / name, river_swim({.states = 9}));
    const ModelCase file{"File", "file = '" + name + "'\ndiscount = 0.5\n"};
    expect_slices_of_the_instance(config_of(file, folder.path()));
  }
}

TEST(ModelSlicesOfFiles, RefuseRangesOutsideTheStates) {
  const ProblemConfig config = config_of({"RiverSwim", "generator = 'river-swim'\n"});
  EXPECT_THAT(thrown_by([&] {
                make_slice(config.model, kSeed, {0, 7});
              }),
              HasSubstr("range of states"));
}

}  // namespace
}  // namespace rgu
