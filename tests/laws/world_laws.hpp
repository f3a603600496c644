// Laws of every world, and of every way to write one and read it back. A suite of tests to be
// instantiated with functions that make worlds; include it in one source file of a test program.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "mdp/file_testing.hpp"
#include "mdp/same_world.hpp"
#include "rgu/mdp/io/world_file.hpp"
#include "rgu/mdp/world.hpp"

namespace rgu {

struct WorldCase {
  std::string name;
  std::function<World()> make;
};

inline void PrintTo(const WorldCase& world, std::ostream* out) { *out << world.name; }

inline std::string name_of_world(const testing::TestParamInfo<WorldCase>& info) {
  return info.param.name;
}

class WorldLaws : public testing::TestWithParam<WorldCase> {
 protected:
  // Written with each signal as reward and read back by a format that holds one.
  void expect_round_trip(const std::string& file, const ReadOptions& options) {
    const World world = GetParam().make();
    expect_one_round_trip(file, options, world, "");
    for (const auto& signal : world.signals) {
      expect_one_round_trip(file, options, world, signal.first);
    }
  }

  void expect_one_round_trip(const std::string& file, const ReadOptions& options,
                             const World& world, const std::string& reward) {
    SCOPED_TRACE("reward \"" + reward + "\"");
    write_world(folder_ / file, world, {.reward = reward});
    const World back = read_world(folder_ / file, options);
    expect_same_entries(positive_entries(back.mdp), positive_entries(world.mdp));
    EXPECT_EQ(back.mdp.start(), world.mdp.start());
    EXPECT_EQ(back.mdp.discount(), world.mdp.discount());
    ASSERT_TRUE(back.signals.contains("reward"));
    const Matrix zeros = Matrix::Zero(world.mdp.states(), world.mdp.actions());
    EXPECT_EQ(back.signals.at("reward"), reward.empty() ? zeros : world.signals.at(reward));
  }

  TemporaryFolder folder_;
};

TEST_P(WorldLaws, RowsSumToOneWithinTwelveDigits) {
  const World world = GetParam().make();
  const Matrix sums = world.mdp.expected_next(Vector::Ones(world.mdp.states()));
  EXPECT_LE((sums.array() - 1.0).abs().maxCoeff(), 1e-12);
  EXPECT_NEAR(world.mdp.start().sum(), 1.0, 1e-12);
}

TEST_P(WorldLaws, SparseKernelsStorePositiveEntriesInOrder) {
  const World world = GetParam().make();
  if (!world.mdp.is_sparse()) return;
  for (Index row = 0; row < world.mdp.sparse_kernel().rows(); ++row) {
    Index last = -1;
    for (SparseMatrix::InnerIterator entry(world.mdp.sparse_kernel(), row); entry; ++entry) {
      ASSERT_GT(entry.value(), 0.0);
      ASSERT_GT(entry.col(), last);
      last = entry.col();
    }
  }
}

TEST_P(WorldLaws, SignalsAreFiniteFunctionsOfStateAndAction) {
  const World world = GetParam().make();
  for (const auto& [name, signal] : world.signals) {
    EXPECT_EQ(signal.rows(), world.mdp.states()) << name;
    EXPECT_EQ(signal.cols(), world.mdp.actions()) << name;
    EXPECT_TRUE(signal.allFinite()) << name;
  }
}

TEST_P(WorldLaws, MakingItTwiceGivesTheSameWorld) {
  expect_same_world(GetParam().make(), GetParam().make());
}

TEST_P(WorldLaws, JsonKeepsEverything) {
  const World world = GetParam().make();
  write_world(folder_ / "model.json", world);
  expect_same_world(read_world(folder_ / "model.json"), world);
}

TEST_P(WorldLaws, BinaryFilesKeepEverything) {
  const World world = GetParam().make();
  write_world(folder_ / "model.rgum", world);
  expect_same_world(read_world(folder_ / "model.rgum"), world);
}

TEST_P(WorldLaws, CsvKeepsTheKernelAndAnySignalAsReward) {
  const World world = GetParam().make();
  expect_round_trip("model.csv", {.discount = world.mdp.discount(), .start = world.mdp.start()});
}

TEST_P(WorldLaws, PrismKeepsTheKernelTheStartAndAnySignalAsReward) {
  expect_round_trip("model.tra", {.discount = GetParam().make().mdp.discount()});
}

}  // namespace rgu
