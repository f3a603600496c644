#include "rgu/align/training/model_scorer.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "llm/data.hpp"
#include "rgu/align/same_tokenizer.hpp"
#include "rgu/align/training/make_scorer.hpp"
#include "rgu/base/check.hpp"
#include "rgu/llm/files/parameters.hpp"
#include "rgu/llm/text/bpe_trainer.hpp"
#include "rgu/llm/torch/language_training.hpp"
#include "rgu/llm/torch/score_head.hpp"
#include "rgu/llm/torch/scorer_training.hpp"

namespace rgu::align {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;
using Loading = ModelScorerConfig::Loading;
using Tokens = std::vector<llm::TokenId>;

auto refuses(const std::string& part) { return ThrowsMessage<InvalidInput>(HasSubstr(part)); }

const std::string kText =
    "Tell me how to make a cake. Take flour, sugar and eggs. I will not tell you how to make "
    "poison. Take the sugar and make the cake, take the eggs and tell me how.";

// A folder with a tokenizer (EOS is 0), a GPT-NeoX language model and a score model of it.
class ModelScorerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) /
              fmt::format("rgu_model_scorer_{}_{}", test->name(), ::getpid());
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "scorer");
    llm::WordCounts words;
    words.add(kText);
    llm::write_tokenizer_json(llm::train_byte_level_bpe(words, {.vocabulary = 280}),
                              folder_ / "scorer" / "tokenizer.json");
    tokenizer_ = llm::open_tokenizer(folder_ / "scorer");
    language_ = llm::random_model(shape(), 1);
    llm::save_model(language_.config, language_.weights, folder_ / "language");
    save_scorer("scorer", {});
  }
  void TearDown() override { fs::remove_all(folder_); }

  static llm::ModelConfig shape() {
    llm::ModelConfig config;
    config.vocabulary = 288;  // padded
    config.hidden = 32;
    config.layers = 2;
    config.heads = config.key_value_heads = 4;
    config.intermediate = 64;
    config.max_positions = 64;
    config.initializer_range = 0.2;
    return config;
  }

  void save_scorer(const char* name, const llm::ScoreConfig& score) {
    Rng rng(2);
    const llm::ModelFiles scorer = llm::with_score_head(language_, score, rng);
    llm::save_model(scorer.config, scorer.weights, folder_ / name);
  }

  ModelScorerConfig config(const char* model = "scorer") const {
    return {.model = folder_ / model, .batch = 3, .loading = Loading::kKeep};
  }
  // The policy's tokenizer is that of the scorer, opened from another place.
  ScorerSetting setting() const {
    return {.policy_tokenizer = tokenizer_.get(), .policy_tokenizer_path = "/none", .threads = 1};
  }

  // Answers of several lengths; the second did not end by itself.
  std::vector<Answer> answers() {
    for (const char* text : {"Take flour.", "Take sugar and", "", "I will not tell you how. No."}) {
      texts_.push_back(text);
    }
    const std::string prompt = "Tell me how to make poison.";
    prompt_ = tokenizer_->encode(prompt);
    std::vector<Answer> made;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      tokens_.push_back(tokenizer_->encode(texts_[i]));
      if (i != 1) tokens_.back().push_back(0);
    }
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      made.push_back({.prompt = "Tell me how to make poison.",
                      .text = texts_[i],
                      .prompt_tokens = prompt_,
                      .tokens = tokens_[i],
                      .finished = i != 1});
    }
    return made;
  }
  std::vector<Tokens> sequences() const {
    std::vector<Tokens> all;
    for (const Tokens& tokens : tokens_) {
      all.push_back(prompt_);
      all.back().insert(all.back().end(), tokens.begin(), tokens.end());
      if (all.back().back() != 0) all.back().push_back(0);
    }
    return all;
  }

  static std::vector<double> first_of(const std::vector<std::vector<double>>& scores) {
    std::vector<double> first;
    for (const std::vector<double>& score : scores) first.push_back(score[0]);
    return first;
  }

  fs::path folder_;
  std::unique_ptr<llm::Tokenizer> tokenizer_;
  llm::ModelFiles language_;
  std::vector<std::string> texts_;
  Tokens prompt_;
  std::vector<Tokens> tokens_;
};

TEST_F(ModelScorerTest, ScoresTheTokensOfThePolicyWithEosBehindThem) {
  ModelScorer scorer(config(), setting());
  EXPECT_TRUE(scorer.has_tokenizer_of_policy());
  EXPECT_TRUE(scorer.kept());
  const std::vector<double> scores = scorer.scores(answers());
  EXPECT_EQ(scores, first_of(llm::scores(llm::open_model(folder_ / "scorer"), {}, sequences(),
                                         {.threads = 1, .batch = 3})));
  EXPECT_NE(scores[0], scores[1]);
  EXPECT_THAT(scorer.scores({}), SizeIs(0));
  EXPECT_THAT(scorer.take_notes(), SizeIs(0));
}

TEST_F(ModelScorerTest, DoesNotDependOnBatchMatesButForRounding) {
  ModelScorerConfig alone = config();
  alone.batch = 1;
  const std::vector<Answer> judged = answers();
  const std::vector<double> together = ModelScorer(config(), setting()).scores(judged);
  const std::vector<double> one_by_one = ModelScorer(alone, setting()).scores(judged);
  for (std::size_t i = 0; i < judged.size(); ++i) EXPECT_NEAR(together[i], one_by_one[i], 1e-5);
}

TEST_F(ModelScorerTest, GivesTheSameBitsLoadedEachTime) {
  const std::vector<Answer> judged = answers();
  ModelScorerConfig each_time = config();
  each_time.loading = Loading::kEachTime;
  ModelScorer loading(each_time, setting());
  ModelScorer keeping(config(), setting());
  EXPECT_FALSE(loading.kept());
  EXPECT_THAT(loading.about(), HasSubstr("loaded for every batch"));
  EXPECT_EQ(loading.scores(judged), keeping.scores(judged));
  EXPECT_EQ(loading.scores(judged), keeping.scores(judged));
}

TEST_F(ModelScorerTest, KeepsByDefaultWhatTakesLessThanHalfOfTheMemory) {
  ModelScorerConfig either = config();
  either.loading = Loading::kAuto;
  ScorerSetting small = setting();
  EXPECT_TRUE(ModelScorer(either, small).kept());
  small.all_model_bytes = std::uint64_t{1} << 60;
  EXPECT_FALSE(ModelScorer(either, small).kept());
}

TEST_F(ModelScorerTest, KnowsItsWeightsAndComputesInTheTypeAskedFor) {
  const std::vector<Answer> judged = answers();
  const std::vector<double> scores = ModelScorer(config(), setting()).scores(judged);
  ModelScorerConfig half = config();
  half.compute = ModelScorerConfig::Compute::kBf16;
  ModelScorerConfig file = config();
  file.compute = ModelScorerConfig::Compute::kFile;
  ModelScorer whole(file, setting());
  ModelScorer rough(half, setting());
  const llm::ModelConfig scored = llm::read_model_config(folder_ / "scorer");
  const auto parameters =
      static_cast<std::uint64_t>(llm::parameter_count(scored, llm::Head::kScore));
  EXPECT_EQ(whole.bytes(), 4 * parameters);
  EXPECT_EQ(rough.bytes(), 2 * parameters);
  EXPECT_EQ(weight_bytes(half), 2 * parameters);
  EXPECT_EQ(whole.scores(judged), scores);
  const std::vector<double> rounded = rough.scores(judged);
  EXPECT_NE(rounded, scores);
  for (std::size_t i = 0; i < judged.size(); ++i) EXPECT_NEAR(rounded[i], scores[i], 0.2);
}

TEST_F(ModelScorerTest, LeavesOutIdsThatArePaddingOfTheVocabulary) {
  ModelScorer scorer(config(), setting());
  const Tokens prompt = tokenizer_->encode("Tell me");
  const Tokens tokens = {static_cast<llm::TokenId>(tokenizer_->size()), 285};
  Tokens expected = prompt;
  expected.push_back(0);
  EXPECT_EQ(scorer.sequence({.prompt_tokens = prompt, .tokens = tokens}), expected);
}

TEST_F(ModelScorerTest, CutsTheEndOfLongAnswersAndKeepsEos) {
  ModelScorer scorer(config(), setting());
  const Tokens prompt(10, 70);
  Tokens tokens(53, 71);
  tokens.push_back(0);  // 64 in all, as many as the model has positions
  EXPECT_THAT(scorer.sequence({.prompt_tokens = prompt, .tokens = tokens}), SizeIs(64));
  EXPECT_EQ(scorer.cut(), 0);
  const Tokens longer(100, 71);
  const Answer answer = {.prompt_tokens = prompt, .tokens = longer, .finished = false};
  Tokens expected = prompt;
  expected.insert(expected.end(), 53, 71);
  expected.push_back(0);
  EXPECT_EQ(scorer.sequence(answer), expected);
  EXPECT_THAT(scorer.scores(std::vector{answer}), SizeIs(1));
  EXPECT_EQ(scorer.cut(), 2);
  EXPECT_THAT(scorer.take_notes(),
              ElementsAre(AllOf(HasSubstr("111 tokens"), HasSubstr("64 positions"))));
  scorer.sequence(answer);
  EXPECT_THAT(scorer.take_notes(), SizeIs(0));
}

TEST_F(ModelScorerTest, ReadsTextWithoutATokenizerOfThePolicy) {
  ModelScorer scorer(config(), {.threads = 1});
  EXPECT_FALSE(scorer.has_tokenizer_of_policy());
  Tokens expected = tokenizer_->encode("Take eggs.");
  expected.push_back(0);
  EXPECT_EQ(scorer.sequence({.prompt = "Take ", .text = "eggs."}), expected);
}

TEST_F(ModelScorerTest, TokenisesTextsOfAnotherTokenizerAnew) {
  // A SentencePiece policy: an answer decoded by itself would lose its first space.
  RGU_DATA_FILE(path, "models/tok512.bin");
  const auto policy = llm::open_tokenizer(path);
  ModelScorer scorer(config(), {.policy_tokenizer = policy.get(), .threads = 1});
  EXPECT_FALSE(scorer.has_tokenizer_of_policy());
  EXPECT_THAT(scorer.about(), HasSubstr("a tokenizer of its own"));
  const Tokens prompt = policy->encode("Take the");
  Tokens tokens = policy->encode("Take the sugar");
  ASSERT_TRUE(std::equal(prompt.begin(), prompt.end(), tokens.begin()));
  tokens.erase(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(prompt.size()));
  tokens.push_back(2);  // its EOS
  Tokens expected = tokenizer_->encode("Take the sugar");
  expected.push_back(0);
  const Answer answer = {
      .prompt = "Take the", .text = "sugar", .prompt_tokens = prompt, .tokens = tokens};
  EXPECT_EQ(scorer.sequence(answer), expected);
}

TEST_F(ModelScorerTest, ScoresWithARealLlamaWhatARealNeoxTokenizerWrote) {
  RGU_DATA_FILE(weights, "golden/stories260K_hf_llama_score.safetensors");
  RGU_DATA_FILE(llama, "models/tok512.bin");
  RGU_DATA_FILE(neox, "tokenizers/gpt-neox-20B_tokenizer.json");
  fs::create_directories(folder_ / "llama");
  fs::copy_file(weights, folder_ / "llama" / "model.safetensors");
  fs::copy_file(weights.parent_path() / "stories260K_hf_config.json",
                folder_ / "llama" / "config.json");
  const auto policy = llm::open_tokenizer(neox);
  const auto own = llm::open_tokenizer(llama);
  ModelScorerConfig real = config("llama");
  real.tokenizer = llama;
  ModelScorer scorer(
      real, {.policy_tokenizer = policy.get(), .policy_tokenizer_path = neox, .threads = 1});
  EXPECT_FALSE(scorer.has_tokenizer_of_policy());

  const std::string prompt = "BEGINNING OF CONVERSATION: USER: tell a story ASSISTANT:";
  const std::vector<std::string> texts = {" Once upon a time, there was a girl.", "No", "Né 日 "};
  const Tokens prompt_tokens = policy->encode(prompt);
  std::vector<Tokens> tokens;
  std::vector<Tokens> expected;
  for (const std::string& text : texts) {
    tokens.push_back(policy->encode(text));
    expected.push_back(own->encode(prompt + text));  // with BOS, by its own rules
    EXPECT_EQ(expected.back().front(), 1);
    expected.back().push_back(2);
  }
  tokens[0].push_back(0);      // ended by itself
  tokens[1].push_back(1);      // <|padding|>, special
  tokens[2].push_back(50300);  // no token at all
  std::vector<Answer> judged;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    judged.push_back({.prompt = prompt,
                      .text = texts[i],
                      .prompt_tokens = prompt_tokens,
                      .tokens = tokens[i],
                      .finished = i == 0});
    EXPECT_EQ(scorer.sequence(judged.back()), expected[i]);
  }
  EXPECT_EQ(scorer.scores(judged), first_of(llm::scores(llm::open_model(folder_ / "llama"), {},
                                                        expected, {.threads = 1, .batch = 3})));
}

TEST_F(ModelScorerTest, UsesAnAdapterThatWasTrainedOnPreferences) {
  std::vector<llm::PreferencePair> pairs;
  for (int i = 0; i < 8; ++i) {
    pairs.push_back({.prompt = fmt::format("Tell me {}", i),
                     .response = {"Take flour.", "I will not."},
                     .better = i % 2,
                     .place = "here"});
  }
  llm::ScorerTrainingOptions options;
  options.max_length = 64;
  options.training.steps = 2;
  options.training.batch = 4;
  options.training.learning_rate = 0.05;
  options.training.held_out = 0;
  options.training.threads = 1;
  options.training.adapter = llm::AdapterConfig{.rank = 4, .alpha = 8};
  llm::train_scorer(language_, *tokenizer_, pairs, options,
                    {.folder = folder_ / "adapter",
                     .tokenizer = folder_ / "scorer",
                     .base_model = (folder_ / "language").string()});

  ModelScorerConfig both = config("language");
  both.adapter = folder_ / "adapter";
  ModelScorer scorer(both, setting());
  const std::vector<Answer> judged = answers();
  const std::vector<double> scores = scorer.scores(judged);
  EXPECT_EQ(scores, first_of(llm::scores(llm::open_model(folder_ / "language"),
                                         llm::open_adapter(folder_ / "adapter"), sequences(),
                                         {.threads = 1, .batch = 3})));
  EXPECT_NE(scores[0], scores[1]);
  // The folder of the adapter says where its model is.
  EXPECT_EQ(ModelScorer(config("adapter"), setting()).scores(judged), scores);
}

TEST_F(ModelScorerTest, RefusesWhatDoesNotFit) {
  const auto made = [this](const ModelScorerConfig& asked) {
    return [this, asked] { ModelScorer scorer(asked, setting()); };
  };
  EXPECT_THAT(made(config("nowhere")), refuses("nowhere"));
  ModelScorerConfig without_head = config("language");
  without_head.tokenizer = folder_ / "scorer";
  EXPECT_THAT(made(without_head), refuses("has no score head"));
  save_scorer("three", {.dimension = 3});
  EXPECT_THAT(made(config("three")), refuses("gives 3 scores at once"));
  save_scorer("bare", {});
  EXPECT_THAT(made(config("bare")), refuses("no tokenizer with the model"));
  ModelScorerConfig empty = config();
  empty.batch = 0;
  EXPECT_THAT(made(empty), refuses("batch"));
  llm::WordCounts words;
  words.add(kText);
  const fs::path larger = folder_ / "larger.json";
  llm::write_tokenizer_json(
      llm::train_byte_level_bpe(words, {.vocabulary = 300, .min_frequency = 1}), larger);
  ModelScorerConfig of_another = config();
  of_another.tokenizer = larger;
  EXPECT_THAT(made(of_another), refuses("belongs to another model"));
  EXPECT_FALSE(same_tokenizer(*tokenizer_, *llm::open_tokenizer(larger)));
}

TEST_F(ModelScorerTest, IsMadeWithScaleShiftAndNameLikeEveryOtherKind) {
  std::ofstream(folder_ / "lexicon.txt") << "1 flour\n";
  AlignConfig run;
  run.rewards = {{.name = "baking", .kind = LexiconScorerConfig{folder_ / "lexicon.txt"}}};
  run.constraints = {{.scorer = {.name = "harm", .kind = config(), .scale = -2, .shift = 1}}};
  const RunScorers scorers = make_scorers(run, setting());
  const std::vector<Answer> judged = answers();
  EXPECT_THAT(scorers.rewards.at(0)->scores(judged), ElementsAre(1, 0, 0, 0));
  const std::vector<double> plain = ModelScorer(config(), setting()).scores(judged);
  const std::vector<double> scaled = scorers.costs.at(0)->scores(judged);
  for (std::size_t i = 0; i < judged.size(); ++i) EXPECT_EQ(scaled[i], -2 * plain[i] + 1);
  EXPECT_THAT(scorers.costs[0]->about(), HasSubstr("kept in memory"));

  const Tokens longer(100, 71);
  scorers.costs[0]->scores(std::vector{Answer{.tokens = longer}});
  EXPECT_THAT(scorers.costs[0]->take_notes(), ElementsAre(HasSubstr("cost \"harm\": prompt and")));
  run.constraints[0].scorer.kind = config("nowhere");
  EXPECT_THAT([&] { make_scorers(run, setting()); }, refuses("cost \"harm\": cannot read"));
}

}  // namespace
}  // namespace rgu::align
