#include "rgu/llm/torch/scorer_training.hpp"

#include <gmock/gmock.h>

#include "llm/torch/training_toys.hpp"
#include "rgu/base/check.hpp"
#include "rgu/llm/torch/evaluation.hpp"

namespace rgu::llm {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

ScorerTrainingOptions quick_options(ScoreType type) {
  ScorerTrainingOptions options;
  options.type = type;
  options.max_length = 96;
  options.training.steps = 6;
  options.training.batch = 8;
  options.training.learning_rate = 5e-3;
  options.training.held_out = 0.25;
  options.training.threads = 1;
  options.training.seed = 3;
  return options;
}

TrainingResult trained(const ScorerTrainingOptions& options, const TrainingTarget& target,
                       const TrainingObserver& observe = {}) {
  return train_scorer(random_model(letter_model(), 1), LetterTokenizer(), toy_preferences(40),
                      options, target, observe);
}

std::vector<TokenId> scored(const std::string& text) {
  std::vector<TokenId> tokens = LetterTokenizer().encode(text);
  tokens.push_back(0);
  return tokens;
}

TEST(ScorerTraining, LearnsToPreferTheBetterAnswer) {
  const ToyFolder folder;
  ScorerTrainingOptions options = quick_options(ScoreType::kReward);
  options.training.steps = 60;
  const TrainingResult result = trained(options, {.folder = folder / "run"});
  EXPECT_EQ(result.status, TrainingStatus::kFinished);
  EXPECT_EQ(result.evaluation.accuracy, 1);
  EXPECT_TRUE(std::isnan(result.evaluation.sign_accuracy));
  EXPECT_LT(result.evaluation.loss, 0.2);
  const ModelFiles model = open_model(folder / "run");
  ASSERT_TRUE(model.config.score.has_value());
  EXPECT_EQ(model.config.score->type, ScoreType::kReward);
  EXPECT_FALSE(model.config.score->normalize);
  EXPECT_GT(model.config.score->variance, 0.5);
  EXPECT_NE(model.config.score->mean, 0);
  const auto answer = scores(model, {},
                             std::vector{scored(conversation_prompt("say bb") + "bb nice"),
                                         scored(conversation_prompt("say bb") + "bb rude")});
  EXPECT_GT(answer[0][0], answer[1][0] + 1);
}

TEST(ScorerTraining, LearnsWhereCostIsAboveAndBelowZero) {
  const ToyFolder folder;
  ScorerTrainingOptions options = quick_options(ScoreType::kCost);
  options.training.steps = 60;
  options.training.adapter = AdapterConfig{.rank = 8, .alpha = 16};
  options.training.learning_rate = 2e-2;
  const TrainingResult result = trained(options, {.folder = folder / "run"});
  EXPECT_EQ(result.evaluation.accuracy, 1);
  EXPECT_EQ(result.evaluation.sign_accuracy, 1);
  const AdapterFiles adapter = open_adapter(folder / "run");
  EXPECT_EQ(adapter.config.task, "SEQ_CLS");
  EXPECT_TRUE(adapter.weights.contains("score_head.weight"));
  EXPECT_EQ(read_model_config(folder / "run").score->type, ScoreType::kCost);
  // The head comes with the adapter: the base is the language model it was.
  const auto answer = scores(random_model(letter_model(), 1), adapter,
                             std::vector{scored(conversation_prompt("say bb") + "bb nice"),
                                         scored(conversation_prompt("say bb") + "bb rude")});
  EXPECT_LT(answer[0][0], 0);
  EXPECT_GT(answer[1][0], 0);
}

TEST(ScorerTraining, GoesOnToTheSameBits) {
  const ToyFolder folder;
  ScorerTrainingOptions options = quick_options(ScoreType::kCost);
  trained(options, {.folder = folder / "straight"});
  const TrainingTarget target = {.folder = folder / "broken",
                                 .existing = ExistingTraining::kResume};
  EXPECT_EQ(trained(options, target, stop_after(2)).status, TrainingStatus::kInterrupted);
  trained(options, target);
  EXPECT_TRUE(
      same_bits(open_model(folder / "straight").weights, open_model(folder / "broken").weights));
  EXPECT_EQ(file_text(folder / "straight" / "config.json"),
            file_text(folder / "broken" / "config.json"));

  options.training.adapter = AdapterConfig{.rank = 2, .alpha = 4, .dropout = 0.3};
  options.training.accumulation = 2;
  trained(options, {.folder = folder / "straight_adapter"});
  const TrainingTarget other = {.folder = folder / "broken_adapter",
                                .existing = ExistingTraining::kResume};
  trained(options, other, stop_after(4));
  trained(options, other);
  EXPECT_TRUE(same_bits(open_adapter(folder / "straight_adapter").weights,
                        open_adapter(folder / "broken_adapter").weights));
}

TEST(ScorerTraining, RefusesPairsThatContradictThemselves) {
  const ToyFolder folder;
  std::vector<PreferencePair> pairs = toy_preferences(4);
  const auto train = [&](ScoreType type) {
    train_scorer(random_model(letter_model(), 1), LetterTokenizer(), pairs, quick_options(type),
                 {.folder = folder / "run", .existing = ExistingTraining::kReplace});
  };
  pairs[2].safe = {false, true};  // the first is said to be the safer one
  EXPECT_THAT([&] { train(ScoreType::kCost); }, ThrowsMessage<InvalidInput>(HasSubstr(":3:")));
  EXPECT_NO_THROW(train(ScoreType::kReward));
  pairs[2].safe = {true, {}};
  EXPECT_THAT([&] { train(ScoreType::kCost); },
              ThrowsMessage<InvalidInput>(HasSubstr("is_response_1_safe")));
  pairs[1].better = {};
  EXPECT_THAT([&] { train(ScoreType::kReward); },
              ThrowsMessage<InvalidInput>(HasSubstr("better_response_id")));
  pairs = toy_preferences(4);
  pairs[3].response[1] = pairs[3].response[0];
  EXPECT_THAT([&] { train(ScoreType::kReward); }, ThrowsMessage<InvalidInput>(HasSubstr(":4:")));
}

}  // namespace
}  // namespace rgu::llm
