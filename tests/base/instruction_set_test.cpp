#include "rgu/base/instruction_set.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "laws/throws.hpp"
#include "rgu/base/check.hpp"

namespace rgu {
namespace {

TEST(InstructionSets, EveryCpuRunsThePortableLoopsAndWhatItListsHasAName) {
  const std::vector<InstructionSet> sets = instruction_sets_of_cpu();
  ASSERT_FALSE(sets.empty());
  EXPECT_EQ(sets.front(), InstructionSet::kPortable);
  for (const InstructionSet set : sets) EXPECT_EQ(instruction_set_named(name_of(set)), set);
}

TEST(InstructionSets, AnUnknownNameIsRefusedWithTheValidOnes) {
  for (const char* name : {"", "avx3", "AVX2"}) {
    expect_invalid([&] { instruction_set_named(name); }, "must be portable, avx2 or avx512");
  }
}

TEST(InstructionSets, ANameTheCpuCannotRunIsRefused) {
  if (instruction_sets_of_cpu().back() == InstructionSet::kAvx512) GTEST_SKIP();
  expect_invalid([] { instruction_set_named("avx512"); }, "which this CPU does not have");
}

// The variable is read once: each choice in a process of its own.
TEST(InstructionSetsDeathTest, TheEnvironmentChooses) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const InstructionSet set : instruction_sets_of_cpu()) {
    EXPECT_EXIT(
        {
          setenv("RGU_INSTRUCTIONS", std::string(name_of(set)).c_str(), 1);
          std::_Exit(instruction_set() == set ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
  }
  EXPECT_EXIT(
      {
        setenv("RGU_INSTRUCTIONS", "sse9", 1);
        try {
          instruction_set();
        } catch (const InvalidInput&) {
          std::_Exit(7);
        }
        std::_Exit(1);
      },
      testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace rgu
