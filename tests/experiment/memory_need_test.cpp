#include "rgu/experiment/memory_need.hpp"

#include <gtest/gtest.h>

#include "rgu/base/check.hpp"
#include "rgu/base/memory.hpp"
#include "rgu/experiment/instance.hpp"

namespace rgu {
namespace {

ProblemConfig garnet_problem(Index states) {
  ProblemConfig config;
  config.model.source = GarnetOptions{.states = states, .actions = 4, .branching = 5};
  config.utility.kind = RewardRobustConfig{.signal = "reward"};
  config.ambiguity.kind = SingletonConfig{};
  return config;
}

// 100 states, 4 actions, 2000 transitions: 24000 bytes of entries, 1600 of rows, 800 of the start,
// and nine tables of 3200.
TEST(MemoryNeed, OfAGarnetModelByHand) {
  EXPECT_EQ(memory_need(garnet_problem(100)).bytes, 24000 + 1600 + 800 + 9 * 3200);
}

TEST(MemoryNeed, SamplingAddsTheTablesToDrawFrom) {
  ProblemConfig config = garnet_problem(100);
  const double exact = memory_need(config).bytes;
  config.gradient.kind = GradientKind::kSampled;
  EXPECT_EQ(memory_need(config).bytes, exact + 12 * 2000 + 8 * 400);
}

// 20 states, 3 actions: a kernel of 1200 numbers, a start of 20, factors of 2 * 400, eight tables.
TEST(MemoryNeed, OfADenseModelByHand) {
  ProblemConfig config;
  config.model.source = RandomModelOptions{.states = 20, .actions = 3};
  EXPECT_EQ(memory_need(config).bytes, 8 * (1200 + 20 + 2 * 400 + 8 * 60));
}

TEST(MemoryNeed, IsAtLeastTheKernelOfEveryGenerator) {
  const std::vector<ModelConfig> models = {
      {.source = RandomModelOptions{}, .seed = 1},
      {.source = GarnetOptions{}, .seed = 1},
      {.source = GridConfig{.map = "S..\n.#.\n..G", .options = {}}, .seed = 1},
      {.source = RiverSwimOptions{}, .seed = 1},
  };
  for (const ModelConfig& model : models) {
    ProblemConfig config;
    config.model = model;
    config.utility.kind = EntropyConfig{};
    config.ambiguity.kind = SingletonConfig{};
    const Instance instance = make_instance(config, 0);
    const MemoryNeed need = memory_need(model);
    EXPECT_EQ(need.states, instance.world.mdp.states());
    EXPECT_EQ(need.actions, instance.world.mdp.actions());
    EXPECT_GE(need.transitions, instance.world.mdp.transitions());
    EXPECT_GE(need.bytes, 8.0 * static_cast<double>(instance.world.mdp.transitions()));
  }
}

TEST(MemoryNeed, WhatIsNotThereIsRefusedBeforeItIsAllocated) {
  EXPECT_NO_THROW(check_memory({.bytes = 1e6}));
  EXPECT_THROW(check_memory({.states = 1e9, .actions = 1, .transitions = 1e9, .bytes = 1e18}),
               InvalidInput);
  EXPECT_THROW(make_instance(garnet_problem(2000000000), 0), InvalidInput);
}

TEST(Memory, ThereIsSome) { EXPECT_GT(available_memory(), 1u << 20); }

}  // namespace
}  // namespace rgu
