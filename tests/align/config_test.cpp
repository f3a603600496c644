#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "laws/throws.hpp"
#include "rgu/align/config_file.hpp"

namespace rgu::align {
namespace {

constexpr const char* kSmallest = R"(
[policy]
model = "pythia-70m"
[data]
prompts = ["a.jsonl", "/b.jsonl.xz"]
[[rewards]]
name = "helpfulness"
model = "beaver-reward"
)";

AlignConfig parse(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return read_config({"run.toml", text, "/home/me"}, overrides);
}

TEST(AlignConfigFile, HasTheDefaultsOfThePapersTable) {
  const AlignConfig config = parse(kSmallest);
  EXPECT_EQ(config.policy.model, "/home/me/pythia-70m");
  EXPECT_THAT(config.data.prompts, testing::ElementsAre("/home/me/a.jsonl", "/b.jsonl.xz"));
  EXPECT_EQ(std::get<ModelScorerConfig>(config.rewards.at(0).kind).model, "/home/me/beaver-reward");
  EXPECT_EQ(config.nature.step, 0.5);
  EXPECT_EQ(config.nature.inner_steps, 10);
  EXPECT_EQ(config.sampling.answers, 8);
  EXPECT_EQ(config.sampling.prompts, 16);
  EXPECT_EQ(ConstraintConfig().threshold, 0);
  EXPECT_EQ(config.policy.lora_rank, 16);
  EXPECT_EQ(config.policy.lora_alpha, 32);
  EXPECT_EQ(config.policy.lora_dropout, 0.05);
  EXPECT_EQ(config.ppo.learning_rate, 1e-5);
  EXPECT_EQ(config.ppo.epochs, 4);
  EXPECT_EQ(config.ppo.kl_coefficient, 0.2);
  EXPECT_EQ(config.ppo.kl_control, llm::KlControl::kAdaptive);
  EXPECT_EQ(config.ppo.early_stop_kl, 0.1);
  EXPECT_EQ(config.sampling.top_k, 0);
  EXPECT_EQ(config.sampling.top_p, 1);
  EXPECT_EQ(config.sampling.temperature, 1);
}

TEST(AlignConfigFile, ReadsWhatItWrites) {
  AlignConfig config = parse(kSmallest);
  config.rewards.push_back({.name = "words",
                            .kind = LexiconScorerConfig{.file = "/l.txt"},
                            .scale = 0.1,
                            .shift = -1.0 / 3});
  config.rewards.push_back({.name = "linear", .kind = LinearScorerConfig{.file = "/w.txt"}});
  config.constraints.push_back(
      {.scorer = {.name = "harm",
                  .kind = CommandScorerConfig{.command = {"python3", "judge it.py"},
                                              .timeout_seconds = 3}},
       .threshold = -0.25,
       .least_multiplier = 1,
       .most_multiplier = 7,
       .initial_multiplier = 2});
  config.seeds = {3, 5};
  config.ppo.critics = llm::Critics::kSeparate;
  config.ppo.kl_estimator = llm::KlEstimator::kFull;
  config.shaping.normalisation = ShapingConfig::Normalisation::kScale;
  config.stopping.seconds = 10;
  const std::string text = to_toml(config);
  const AlignConfig again = read_config({"written", text, {}});
  EXPECT_EQ(to_toml(again), text);
  EXPECT_EQ(again.rewards.at(1).shift, -1.0 / 3);
  EXPECT_EQ(std::get<CommandScorerConfig>(again.constraints.at(0).scorer.kind).command,
            (std::vector<std::string>{"python3", "judge it.py"}));
  EXPECT_EQ(again.constraints.at(0).most_multiplier, 7);
  EXPECT_EQ(again.ppo.kl_estimator, llm::KlEstimator::kFull);
}

TEST(AlignConfigFile, NamesPlaceValueAndRuleOfWhatIsWrong) {
  const std::string text = kSmallest;
  expect_invalid([&] { parse(text + "[ppo]\nlearning_rate = -1\n"); },
                 "run.toml:10:17: learning_rate");
  expect_invalid([&] { parse(text + "[ppo]\nlearning_rte = 1\n"); },
                 "did you mean 'learning_rate'");
  expect_invalid([&] { parse(text + "file = 'x'\n"); }, "does not belong to kind = \"model\"");
  expect_invalid([&] { parse(text + "[[rewards]]\nname = 'helpfulness'\nmodel = 'm'\n"); },
                 "reward name \"helpfulness\" is there twice");
  expect_invalid(
      [&] {
        parse(text +
              "[[constraints]]\nname = 'harm'\nmodel = 'm'\nleast_multiplier = 2.0\n"
              "most_multiplier = 1.0\n");
      },
      "most_multiplier is 1, must be at least least_multiplier = 2");
  expect_invalid([&] { parse("[policy]\nmodel='m'\n[data]\nprompts=['p']\n"); },
                 "missing key 'rewards'");
  expect_invalid([&] { parse(text, {"sampling.answers=0"}); }, "--set sampling.answers=0");
  expect_invalid([&] { parse(text, {"ppo.kl_estimator=k9"}); }, "k3");
}

TEST(AlignConfigFile, ListsEveryKeyWithHelp) {
  const std::vector<KeyHelp> keys = config_keys();
  EXPECT_GT(keys.size(), 70u);
  for (const KeyHelp& key : keys) EXPECT_FALSE(key.help.empty()) << key.table << "." << key.key;
  const auto has = [&](const std::string& table, const std::string& name) {
    return std::any_of(keys.begin(), keys.end(),
                       [&](const KeyHelp& key) { return key.table == table && key.key == name; });
  };
  EXPECT_TRUE(has("constraints[]", "threshold"));
  EXPECT_TRUE(has("rewards[]", "command"));
  EXPECT_TRUE(has("ppo", "ratio_limit"));
}

}  // namespace
}  // namespace rgu::align
