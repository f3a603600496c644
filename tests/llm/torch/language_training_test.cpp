#include "rgu/llm/torch/language_training.hpp"

#include <gmock/gmock.h>

#include "llm/torch/training_toys.hpp"
#include "rgu/base/check.hpp"
#include "rgu/base/folder_lock.hpp"
#include "rgu/llm/torch/evaluation.hpp"

namespace rgu::llm {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const std::string kRhyme =
    "the quick brown fox jumps over the lazy dog while five boxing wizards jump quickly and "
    "a mad boxer shot a quick gloved jab to the jaw of his dizzy opponent";

LanguageTrainingOptions quick_options() {
  LanguageTrainingOptions options;
  options.sequence_length = 16;
  options.training.steps = 8;
  options.training.batch = 4;
  options.training.learning_rate = 3e-3;
  options.training.threads = 1;
  options.training.seed = 5;
  return options;
}

AdapterConfig toy_adapter() { return {.rank = 4, .alpha = 8, .dropout = 0.2}; }

TEST(LanguageTraining, MemorisesAShortText) {
  const ToyFolder folder;
  LanguageTrainingOptions options = quick_options();
  options.training.steps = 250;
  options.training.learning_rate = 1e-2;
  std::vector<double> losses;
  const TrainingResult result = train_language_model(
      random_model(letter_model(), 1), letters(kRhyme), options, {.folder = folder / "run"},
      [&](const TrainingProgress& progress) { return losses.push_back(progress.loss), true; });
  EXPECT_EQ(result.status, TrainingStatus::kFinished);
  EXPECT_EQ(result.step, 250);
  EXPECT_NEAR(result.first_loss, std::log(96.0), 0.4);  // knows nothing yet
  EXPECT_LT(result.loss, 0.25);
  EXPECT_LT(losses[100], 0.6 * losses[0]);
  EXPECT_EQ(line_count(folder / "run" / "metrics.jsonl"), 250);
  const Perplexity answer = perplexity(open_model(folder / "run"), {}, letters(kRhyme).stream,
                                       {.window = 16, .stride = 16});
  EXPECT_LT(answer.mean(), 0.25);
}

TEST(LanguageTraining, DoesNotDependOnAccumulationButForRounding) {
  const ToyFolder folder;
  LanguageTrainingOptions options = quick_options();
  options.training.batch = 8;
  options.training.epsilon = 1e-3;  // so that Adam does not blow up the rounding of tiny gradients
  const ModelFiles start = random_model(letter_model(), 1);
  train_language_model(start, letters(kRhyme), options, {.folder = folder / "whole"});
  options.training.accumulation = 4;
  train_language_model(start, letters(kRhyme), options, {.folder = folder / "parts"});
  const Weights whole = open_model(folder / "whole").weights;
  EXPECT_LT(distance(whole, open_model(folder / "parts").weights), 1e-5);
  EXPECT_GT(distance(whole, start.weights), 1e-3);
}

TEST(LanguageTraining, GoesOnToTheSameBits) {
  const ToyFolder folder;
  const ModelFiles start = random_model(letter_model(), 1);
  LanguageTrainingOptions options = quick_options();
  options.training.held_out = 0.2;
  options.training.evaluation_interval = 3;
  train_language_model(start, letters(kRhyme), options, {.folder = folder / "straight"});
  const TrainingTarget target = {.folder = folder / "broken",
                                 .existing = ExistingTraining::kResume};
  const TrainingResult first =
      train_language_model(start, letters(kRhyme), options, target, stop_after(3));
  EXPECT_EQ(first.status, TrainingStatus::kInterrupted);
  EXPECT_FALSE(std::filesystem::exists(folder / "broken" / "model.safetensors"));
  train_language_model(start, letters(kRhyme), options, target, stop_after(5));
  const TrainingResult last = train_language_model(start, letters(kRhyme), options, target);
  EXPECT_EQ(last.status, TrainingStatus::kFinished);
  EXPECT_EQ(last.resumed, 5);
  EXPECT_TRUE(
      same_bits(open_model(folder / "straight").weights, open_model(folder / "broken").weights));
  EXPECT_EQ(line_count(folder / "broken" / "metrics.jsonl"), 8);
  EXPECT_FALSE(std::filesystem::exists(folder / "broken" / "checkpoint"));
  EXPECT_TRUE(std::isfinite(last.evaluation.loss));
  // A finished run stays as it is.
  const TrainingResult again = train_language_model(start, letters(kRhyme), options, target);
  EXPECT_EQ(again.status, TrainingStatus::kFinished);
  EXPECT_EQ(again.loss, last.loss);
}

TEST(LanguageTraining, GoesOnToTheSameBitsWithAnAdapterAndDropout) {
  const ToyFolder folder;
  const ModelFiles start = random_model(letter_model(), 1);
  LanguageTrainingOptions options = quick_options();
  options.training.adapter = toy_adapter();
  options.training.accumulation = 2;
  train_language_model(start, letters(kRhyme), options,
                       {.folder = folder / "straight", .base_model = "the-base"});
  TrainingTarget target = {.folder = folder / "broken", .existing = ExistingTraining::kResume};
  train_language_model(start, letters(kRhyme), options, target, stop_after(5));
  train_language_model(start, letters(kRhyme), options, target);
  const AdapterFiles straight = open_adapter(folder / "straight");
  EXPECT_EQ(straight.config.base_model, "the-base");
  EXPECT_EQ(straight.config.rank, 4);
  EXPECT_TRUE(same_bits(straight.weights, open_adapter(folder / "broken").weights));
  LanguageTrainingOptions without = options;
  without.training.adapter->dropout = 0;
  train_language_model(start, letters(kRhyme), without, {.folder = folder / "without"});
  EXPECT_FALSE(same_bits(straight.weights, open_adapter(folder / "without").weights));
}

TEST(LanguageTraining, RefusesACheckpointOfAnotherRunByName) {
  const ToyFolder folder;
  const ModelFiles start = random_model(letter_model(), 1);
  const LanguageTrainingOptions options = quick_options();
  const TrainingTarget target = {.folder = folder / "run", .existing = ExistingTraining::kResume};
  train_language_model(start, letters(kRhyme), options, target, stop_after(2));
  LanguageTrainingOptions other = options;
  other.training.learning_rate = 1e-3;
  EXPECT_THAT([&] { train_language_model(start, letters(kRhyme), other, target); },
              ThrowsMessage<InvalidInput>(
                  HasSubstr("learning_rate = 0.003, but now learning_rate = 0.001")));
  EXPECT_THAT([&] { train_language_model(start, letters(kRhyme + "!"), options, target); },
              ThrowsMessage<InvalidInput>(HasSubstr("data = ")));
  EXPECT_THAT(
      [&] {
        train_language_model(random_model(letter_model(), 2), letters(kRhyme), options, target);
      },
      ThrowsMessage<InvalidInput>(HasSubstr("start = ")));
  EXPECT_THAT(
      [&] { train_language_model(start, letters(kRhyme), options, {.folder = folder / "run"}); },
      ThrowsMessage<InvalidInput>(HasSubstr("is not empty")));
  other = options;
  other.training.threads = 2;
  other.training.checkpoint_interval = 4;
  EXPECT_EQ(train_language_model(start, letters(kRhyme), other, target).resumed, 2);
}

TEST(LanguageTraining, LeavesAFolderAloneThatAnotherProcessWritesInto) {
  const ToyFolder folder;
  std::filesystem::create_directories(folder / "run");
  const auto train = [&] {
    train_language_model(random_model(letter_model(), 1), letters(kRhyme), quick_options(),
                         {.folder = folder / "run", .existing = ExistingTraining::kReplace});
  };
  {
    const FolderLock other(folder / "run");
    EXPECT_THAT(train, ThrowsMessage<InvalidInput>(HasSubstr("is in use by another process")));
  }
  EXPECT_NO_THROW(train());
}

TEST(LanguageTraining, StopsAtANumberThatIsNotFiniteAndKeepsTheLastCheckpoint) {
  const ToyFolder folder;
  LanguageTrainingOptions options = quick_options();
  options.training.learning_rate = 1e30;
  options.training.warmup = 0;
  options.training.checkpoint_interval = 1;
  const TrainingResult result = train_language_model(
      random_model(letter_model(), 1), letters(kRhyme), options, {.folder = folder / "run"});
  EXPECT_EQ(result.status, TrainingStatus::kDiverged);
  EXPECT_EQ(result.step, 1);
  EXPECT_THAT(file_text(folder / "run" / "checkpoint" / "state.json"), HasSubstr("\"step\": 1"));
  EXPECT_EQ(line_count(folder / "run" / "metrics.jsonl"), 1);
  EXPECT_FALSE(std::filesystem::exists(folder / "run" / "model.safetensors"));
}

TEST(LanguageTraining, LearnsOnlyTheAnswersOfPairs) {
  const ToyFolder folder;
  LanguageTrainingOptions options = quick_options();
  options.training.steps = 60;
  options.training.learning_rate = 1e-2;
  LanguageData data;
  for (const std::string prompt : {"xqz", "jvk", "wpy"}) {
    PromptAnswer pair = {.tokens = LetterTokenizer().encode(prompt + "yes"), .answer = 3};
    pair.tokens.push_back(0);
    data.pairs.push_back(pair);
  }
  const TrainingResult result = train_language_model(random_model(letter_model(), 1), data, options,
                                                     {.folder = folder / "run"});
  EXPECT_LT(result.loss, 0.1);  // the answer is known, though no prompt can be foretold
  const Perplexity prompt = perplexity(open_model(folder / "run"), {},
                                       LetterTokenizer().encode("xqz"), {.window = 8, .stride = 8});
  EXPECT_GT(prompt.mean(), 3);
  data.pairs[0].answer = 7;
  EXPECT_THROW(train_language_model(random_model(letter_model(), 1), data, options,
                                    {.folder = folder / "other"}),
               InvalidInput);
}

TEST(LanguageTraining, RefusesOptionsOutsideTheirRangesByName) {
  const auto refused = [](const char* name, auto change) {
    LanguageTrainingOptions options = quick_options();
    change(options);
    EXPECT_THAT([&] { check_options(options); }, ThrowsMessage<InvalidInput>(HasSubstr(name)));
  };
  refused("steps = 0", [](auto& options) { options.training.steps = 0; });
  refused("batch = 0", [](auto& options) { options.training.batch = 0; });
  refused("learning_rate = 0", [](auto& options) { options.training.learning_rate = 0; });
  refused("learning_rate = nan",
          [](auto& options) { options.training.learning_rate = std::nan(""); });
  refused("beta2 = 1", [](auto& options) { options.training.beta2 = 1; });
  refused("warmup = 1.5", [](auto& options) { options.training.warmup = 1.5; });
  refused("accumulation = 3", [](auto& options) { options.training.accumulation = 3; });
  refused("sequence_length = 0", [](auto& options) { options.sequence_length = 0; });
  refused("dropout = 1",
          [](auto& options) { options.training.adapter = AdapterConfig{.dropout = 1}; });
  EXPECT_NO_THROW(check_options(LanguageTrainingOptions{}));
  EXPECT_NO_THROW(check_options(ScorerTrainingOptions{}));
}

TEST(LanguageData, ReadsTextsAndJsonLines) {
  const ToyFolder folder;
  const LetterTokenizer tokenizer;
  std::ofstream(folder / "a.txt") << "ab\ncd\n";
  std::ofstream(folder / "b.jsonl") << "{\"text\": \"ef\"}\n\n{\"text\": \"\"}\n";
  const std::vector<std::filesystem::path> texts = {folder / "a.txt", folder / "b.jsonl"};
  const LanguageData data = read_language_data(texts, tokenizer);
  std::vector<TokenId> expected = tokenizer.encode("ab\ncd");
  expected.push_back(0);
  for (const TokenId id : tokenizer.encode("ef")) expected.push_back(id);
  expected.push_back(0);
  expected.push_back(0);
  EXPECT_EQ(data.stream, expected);
  EXPECT_EQ(data.documents, 3);
  EXPECT_EQ(data.bytes, 7);

  std::ofstream(folder / "c.jsonl") << "{\"prompt\": \"ab\", \"response\": \"cd\"}\n";
  const LanguageData pairs = read_language_data(std::vector{folder / "c.jsonl"}, tokenizer);
  ASSERT_EQ(pairs.pairs.size(), 1);
  EXPECT_EQ(pairs.pairs[0].answer, 2);
  EXPECT_EQ(pairs.pairs[0].tokens.size(), 5);
  EXPECT_THROW(read_language_data(std::vector{folder / "a.txt", folder / "c.jsonl"}, tokenizer),
               InvalidInput);
  std::ofstream(folder / "d.jsonl") << "{\"prompt\": \"ab\"}\n";
  EXPECT_THAT([&] { read_language_data(std::vector{folder / "d.jsonl"}, tokenizer); },
              ThrowsMessage<InvalidInput>(HasSubstr("d.jsonl:1")));
}

}  // namespace
}  // namespace rgu::llm
