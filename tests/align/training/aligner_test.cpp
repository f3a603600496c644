#include "rgu/align/training/aligner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "align/training/small_world.hpp"
#include "laws/throws.hpp"
#include "rgu/align/config_file.hpp"
#include "rgu/align/training/runner.hpp"
#include "rgu/base/text_file.hpp"
#include "rgu/llm/files/safetensors.hpp"

namespace rgu::align {
namespace {

namespace fs = std::filesystem;
using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;

constexpr MachineOptions kOneThread = {.threads = 1};

class AlignRun : public SmallWorld {
 protected:
  RunRecord run(const AlignConfig& config, const char* name) {
    const align::Setup setup = open_setup(config, kOneThread);
    const OpenRun open = begin_run(setup, folder_ / name, ExistingRun::kReplace);
    outcomes_ = run_seeds(setup, open.folder);
    return read_run(open.folder.path());
  }

  // Stops after `steps` whole steps, in the middle of the next one.
  void interrupted(const AlignConfig& config, const char* name, Index steps) {
    const align::Setup setup = open_setup(config, kOneThread);
    const OpenRun open = begin_run(setup, folder_ / name, ExistingRun::kReplace);
    std::atomic<bool> interrupt = false;
    outcomes_ = run_seeds(setup, open.folder,
                          {.progress =
                               [&](const Progress& progress) {
                                 interrupt =
                                     progress.iteration == steps && progress.phase == "scoring";
                               },
                           .interrupt = &interrupt});
  }

  RunRecord resumed(const char* name, const std::vector<std::string>& overrides = {}) {
    const align::Setup setup = open_setup(stored_config(folder_ / name, overrides), kOneThread);
    const OpenRun open = reopen_run(setup, folder_ / name);
    outcomes_ = run_seeds(setup, open.folder);
    return read_run(open.folder.path());
  }

  std::string bytes(const fs::path& path) const { return read_text(folder_ / path); }

  void expect_same_files(const char* a, const char* b) const {
    for (const char* file : {"metrics.jsonl", "answers.jsonl", "shown.jsonl", "result.json",
                             "adapter/adapter_model.safetensors"}) {
      EXPECT_EQ(bytes(fs::path(a) / "seed-0" / file), bytes(fs::path(b) / "seed-0" / file)) << file;
    }
  }

  std::vector<SeedOutcome> outcomes_;
};

TEST_F(AlignRun, RecordsEveryStep) {
  const RunRecord record = run(config(), "run");
  ASSERT_THAT(record.seeds, SizeIs(1));
  const SeedRecord& seed = record.seeds[0];
  EXPECT_TRUE(seed.finished);
  ASSERT_THAT(seed.steps, SizeIs(4));
  EXPECT_THAT(seed.seconds, SizeIs(4));
  EXPECT_THAT(seed.shown, SizeIs(2));
  EXPECT_THAT(seed.answers, SizeIs(4 * 4));
  for (const StepNumbers& step : seed.steps) {
    for (const auto& [name, value] : step.values) {
      EXPECT_TRUE(std::isfinite(value)) << name;
      EXPECT_NE(help_of(name), nullptr) << name;
    }
  }
  EXPECT_EQ(seed.steps[3].at("answers"), 4 * (16 + 6));
  EXPECT_NEAR(seed.steps[0].at("kl"), 0, 1e-5);  // a fresh adapter changes nothing
  EXPECT_NE(seed.steps[3].at("kl"), 0);
  EXPECT_EQ(seed.steps[0].at("learning_rate"), 1e-2);
}

// xi <- clip(xi + beta (C - d), 0, xi_max), T times on one batch, from the recorded costs; and the
// objective from the recorded parts.
TEST_F(AlignRun, MovesTheMultiplierByProjectedAscent) {
  const RunRecord record = run(config(), "run");
  double xi = 0;
  for (const StepNumbers& step : record.seeds[0].steps) {
    for (int t = 0; t < 10; ++t) {
      xi = std::clamp(xi + 0.5 * (step.at("train_cost/bad") - 0.01), 0.0, 5.0);
    }
    EXPECT_NEAR(step.at("multiplier/bad"), xi, 1e-12);
    EXPECT_NEAR(step.at("objective"), -step.at("reward") + xi * (step.at("cost/bad") - 0.01),
                1e-12);
    EXPECT_NEAR(step.at("train_objective"),
                -step.at("train_reward") + xi * (step.at("train_cost/bad") - 0.01), 1e-12);
    EXPECT_NEAR(step.at("violation"), step.at("cost/bad") - 0.01, 1e-15);
    EXPECT_NEAR(step.at("envelope"),
                -step.at("reward") + 5 * std::max(0.0, step.at("cost/bad") - 0.01), 1e-12);
  }
  EXPECT_GT(xi, 0);
}

TEST_F(AlignRun, GoesOnToTheLastBitWhereverItIsStopped) {
  run(config(), "whole");
  for (const Index steps : {0, 1, 2, 3}) {
    interrupted(config(), "parts", steps);
    ASSERT_EQ(outcomes_.at(0).status, Status::kInterrupted);
    resumed("parts");
    EXPECT_EQ(outcomes_.at(0).status, Status::kIterationLimit);
    expect_same_files("whole", "parts");
  }
}

// What is written after the last checkpoint, and a checkpoint cut short, are not missed.
TEST_F(AlignRun, GoesOnFromTheLastWholeCheckpoint) {
  run(config(), "whole");
  interrupted(config(), "parts", 3);
  const fs::path seed = folder_ / "parts" / "seed-0";
  const std::string checkpoint = read_text(seed / "checkpoint");
  std::ofstream(seed / "checkpoint") << checkpoint.substr(0, checkpoint.size() / 2);
  std::ofstream(seed / "metrics.jsonl", std::ios::app) << "{\"iteration\": 99";
  resumed("parts");
  expect_same_files("whole", "parts");
}

TEST_F(AlignRun, GoesFurtherWhereMoreIsAskedFor) {
  run(config(), "short");
  const RunRecord record = resumed("short", {"stopping.iterations=6"});
  EXPECT_THAT(record.seeds[0].steps, SizeIs(6));
  AlignConfig longer = config();
  longer.stopping.iterations = 6;
  run(longer, "long");
  EXPECT_EQ(bytes("short/seed-0/metrics.jsonl"), bytes("long/seed-0/metrics.jsonl"));
}

TEST_F(AlignRun, RefusesToGoOnWithSomethingElse) {
  interrupted(config(), "run", 1);
  write("prompts.txt", "say other words\nsay more words\n");
  expect_invalid([&] { resumed("run"); }, "not those that the run was begun with");
}

TEST_F(AlignRun, SeveralRewardsAndConstraintsMakeAProduct) {
  AlignConfig several = config();
  several.rewards.push_back(lexicon("also", "bad.txt"));
  several.rewards.push_back(lexicon("third", "good.txt"));
  several.rewards.back().scale = -1;
  several.constraints.push_back({.scorer = lexicon("second", "good.txt"), .threshold = 0.5});
  several.nature.ensemble_radius = 0.4;
  for (const llm::Critics critics : {llm::Critics::kOne, llm::Critics::kSeparate}) {
    several.ppo.critics = critics;
    const RunRecord record = run(several, "run");
    ASSERT_THAT(record.seeds[0].steps, SizeIs(4));
    for (const StepNumbers& step : record.seeds[0].steps) {
      const Vector weights =
          (Vector(3) << step.at("weight/good"), step.at("weight/also"), step.at("weight/third"))
              .finished();
      EXPECT_NEAR(weights.sum(), 1, 1e-9);
      EXPECT_LE((weights.array() - 1.0 / 3).matrix().norm(), 0.4 + 1e-9);
      const double reward = weights[0] * step.at("reward/good") +
                            weights[1] * step.at("reward/also") +
                            weights[2] * step.at("reward/third");
      const double penalty = step.at("multiplier/bad") * (step.at("cost/bad") - 0.01) +
                             step.at("multiplier/second") * (step.at("cost/second") - 0.5);
      EXPECT_NEAR(step.at("objective"), -reward + penalty, 1e-12);
      EXPECT_GE(step.at("envelope"), step.at("objective") - 1e-9);
    }
    // Nature goes against the policy: the reward that is -good has the most weight.
    EXPECT_GT(record.seeds[0].steps.back().at("weight/third"), 1.0 / 3);
  }
}

TEST_F(AlignRun, APolicyWithoutConstraintsIsPlainRewardMaximisation) {
  AlignConfig plain = config();
  plain.constraints.clear();
  plain.shaping.prompt_baseline = true;
  plain.ppo.kl_coefficient = 0;
  plain.ppo.kl_control = llm::KlControl::kFixed;
  plain.stopping.iterations = 25;
  plain.sampling.answers = 8;
  const RunRecord record = run(plain, "run");
  const std::vector<StepNumbers>& steps = record.seeds[0].steps;
  double first = 0, last = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    first += steps[i].at("train_reward") / 5;
    last += steps[steps.size() - 1 - i].at("train_reward") / 5;
  }
  EXPECT_GT(last, first + 0.1);
}

TEST_F(AlignRun, StopsAtNumbersThatAreNotFiniteWithThePolicyOfBefore) {
  AlignConfig wild = config();
  wild.ppo.learning_rate = 1e30;
  wild.ppo.gradient_clip = 0;
  wild.ppo.early_stop_kl = 0;
  const RunRecord record = run(wild, "run");
  EXPECT_EQ(outcomes_.at(0).status, Status::kDiverged);
  EXPECT_THAT(record.seeds[0].notes, testing::Contains(HasSubstr("not finite")));
  const llm::Weights adapter =
      llm::read_safetensors(folder_ / "run" / "seed-0" / "adapter" / "adapter_model.safetensors");
  for (const auto& [name, tensor] : adapter.tensors) {
    for (const float value : llm::floats_of(tensor)) ASSERT_TRUE(std::isfinite(value)) << name;
  }
}

TEST_F(AlignRun, WarnsOfANegativeDivergence) {
  AlignConfig alarmed = config();
  alarmed.output.negative_kl_alarm = 1e6;  // everything is below it
  const RunRecord record = run(alarmed, "run");
  EXPECT_THAT(record.seeds[0].notes, SizeIs(4));
  EXPECT_THAT(record.seeds[0].notes, Each(HasSubstr("KL divergence")));
}

TEST_F(AlignRun, SaysWhatDoesNotFit) {
  AlignConfig wrong = config();
  wrong.sampling.max_new_tokens = 200;
  expect_invalid([&] { open_setup(wrong, kOneThread); }, "the policy has 128 positions");
  wrong = config();
  wrong.policy.model = folder_ / "nothing";
  expect_invalid([&] { open_setup(wrong, kOneThread); }, "nothing");
  wrong = config();
  wrong.rewards[0] = {.name = "good", .kind = LexiconScorerConfig{.file = folder_ / "absent.txt"}};
  expect_invalid([&] { open_setup(wrong, kOneThread); }, "reward \"good\"");
}

}  // namespace
}  // namespace rgu::align
