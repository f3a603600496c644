#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "llm/decode/plain_model.hpp"
#include "llm/decode/small_models.hpp"
#include "rgu/base/check.hpp"

namespace rgu::llm {
namespace {

using Prompts = std::vector<std::vector<TokenId>>;

// Lengths of every kind, some prompts equal.
Prompts mixed_prompts(const ModelConfig& config) {
  Prompts prompts;
  for (const std::size_t size : {3, 1, 17, 3, 16, 5, 30, 2}) {
    prompts.push_back(random_tokens(config, size, 10 + size));
  }
  prompts.push_back(prompts[2]);
  prompts.push_back(prompts[2]);
  prompts.push_back(prompts[1]);
  return prompts;
}

GenerateOptions plain_options(std::int64_t tokens) {
  GenerateOptions options;
  options.sampling.max_new_tokens = tokens;
  options.streams = {.seed = 5, .stream = 6};
  return options;
}

std::vector<double> last_row(const Decoder& decoder, const std::vector<TokenId>& tokens) {
  const std::vector<float> logits = decoder.logits(tokens);
  return {logits.end() - static_cast<std::ptrdiff_t>(decoder.config().vocabulary), logits.end()};
}

void expect_equal(const std::vector<Sequence>& a, const std::vector<Sequence>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].tokens, b[i].tokens) << i;
    EXPECT_EQ(a[i].log_probabilities, b[i].log_probabilities) << i;  // to the last bit
    EXPECT_EQ(a[i].stopped, b[i].stopped) << i;
  }
}

TEST(Generate, WithItsCacheEqualsReadingEveryPrefixAfresh) {
  for (const SmallModel& model : small_models()) {
    const Decoder decoder(model.config, lively_weights(model.config, 1),
                          {.threads = 1, .instructions = {}});
    GenerateOptions options = plain_options(20);
    options.sampling.temperature = 0;
    const Prompts prompts = {random_tokens(model.config, 14, 2), random_tokens(model.config, 3, 3)};
    const std::vector<Sequence> sequences = decoder.generate(prompts, options);
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      std::vector<TokenId> tokens = prompts[i];
      for (const TokenId token : sequences[i].tokens) {
        const std::vector<double> row = last_row(decoder, tokens);
        EXPECT_EQ(token, std::max_element(row.begin(), row.end()) - row.begin()) << model.name;
        tokens.push_back(token);
      }
      EXPECT_EQ(tokens.size(), prompts[i].size() + 20);
    }
  }
}

struct NamedSampling {
  const char* name;
  SamplingOptions options;
};

std::vector<NamedSampling> samplings() {
  std::vector<NamedSampling> all(6);
  all[0].name = "plain";
  all[1].name = "cool";
  all[1].options.temperature = 0.7;
  all[2].name = "top k";
  all[2].options.top_k = 5;
  all[3].name = "top p";
  all[3].options.top_p = 0.8;
  all[4].name = "all";
  all[4].options = {
      .temperature = 1.5, .top_k = 20, .top_p = 0.9, .max_new_tokens = 32, .stop = {}};
  all[5].name = "greedy";
  all[5].options.temperature = 0;
  return all;
}

// The log-probability is over the whole vocabulary, whatever top k and top p left out.
TEST(Generate, GivesTheLogProbabilitiesOfWhatItSampled) {
  for (const ModelConfig& config : {small_neox(), small_llama()}) {
    const Weights weights = lively_weights(config, 4);
    const Decoder decoder = one_thread(config, weights);
    for (const NamedSampling& sampling : samplings()) {
      GenerateOptions options = plain_options(12);
      options.sampling = sampling.options;
      options.sampling.max_new_tokens = 12;
      const Prompts prompts = mixed_prompts(config);
      const std::vector<Sequence> sequences = decoder.generate(prompts, options);
      for (std::size_t i = 0; i < 3; ++i) {
        std::vector<TokenId> tokens = prompts[i];
        tokens.insert(tokens.end(), sequences[i].tokens.begin(), sequences[i].tokens.end());
        const std::vector<std::vector<double>> logits = plain_logits(config, weights, tokens);
        const double temperature =
            sampling.options.temperature > 0 ? sampling.options.temperature : 1;
        for (std::size_t t = 0; t < 12; ++t) {
          const std::size_t at = prompts[i].size() + t;
          EXPECT_NEAR(static_cast<double>(sequences[i].log_probabilities[t]),
                      log_softmax(logits[at - 1], temperature, tokens[at]), 1e-4)
              << sampling.name;
        }
      }
    }
  }
}

TEST(Generate, DependsNeitherOnTheBatchNorOnThreads) {
  for (const ModelConfig& config : {small_neox(), small_llama()}) {
    const Weights weights = lively_weights(config, 5);
    for (const InstructionSet set : instruction_sets_of_cpu()) {
      for (const NamedSampling& sampling : samplings()) {
        GenerateOptions options = plain_options(6);
        options.sampling = sampling.options;
        options.sampling.max_new_tokens = 6;
        options.sampling.stop = 7;  // so that rows leave at different times
        options.batch = 16;
        const Prompts prompts = mixed_prompts(config);
        const Decoder one(config, weights, {.threads = 1, .instructions = set});
        const std::vector<Sequence> expected = one.generate(prompts, options);
        const bool every =
            sampling.name == std::string("plain") || sampling.name == std::string("all");
        for (const int threads : every ? std::vector{1, 2, 3} : std::vector{1}) {
          const Decoder decoder(config, weights, {.threads = threads, .instructions = set});
          for (const std::int64_t batch : {1, 3, 16}) {
            if (batch != 3 && threads > 1 && set != instruction_set()) continue;
            SCOPED_TRACE(::testing::Message()
                         << sampling.name << " " << name_of(set) << " " << threads << " " << batch);
            options.batch = batch;
            const std::size_t count = threads == 1 ? prompts.size() : 4;
            expect_equal(decoder.generate(std::span(prompts).first(count), options),
                         {expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(count)});
          }
        }
      }
    }
  }
}

// Tiles of every number of rows, more rows than one pass takes, and prompts longer than one.
TEST(Generate, GivesASequenceTheSameInABatchOfAnySize) {
  ModelConfig config = small_neox();
  config.max_positions = 400;
  const Weights weights = lively_weights(config, 6);
  for (const InstructionSet set : instruction_sets_of_cpu()) {
    const Decoder decoder(config, weights, {.threads = 1, .instructions = set});
    Prompts prompts;
    for (std::size_t i = 0; i < 270; ++i) prompts.push_back(random_tokens(config, 1 + i % 5, i));
    prompts.push_back(random_tokens(config, 300, 1));
    GenerateOptions options = plain_options(2);
    options.batch = 1;
    const std::vector<Sequence> expected = decoder.generate(prompts, options);
    for (const std::int64_t batch : {2, 5, 7, 11, 13, 27, 271, 1000}) {
      SCOPED_TRACE(::testing::Message() << name_of(set) << " " << batch);
      options.batch = batch;
      expect_equal(decoder.generate(prompts, options), expected);
    }
  }
}

TEST(Generate, DrawsFromTheStreamOfItsSequence) {
  const ModelConfig config = small_neox();
  const Decoder decoder = one_thread(config, lively_weights(config, 7));
  const Prompts prompts(8, random_tokens(config, 6, 1));  // equal: only the streams differ
  const std::vector<Sequence> all = decoder.generate(prompts, plain_options(10));
  EXPECT_NE(all[0].tokens, all[1].tokens);
  GenerateOptions options = plain_options(10);
  options.first_sequence = 5;
  const std::vector<Sequence> rest = decoder.generate(std::span(prompts).first(3), options);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(rest[i].tokens, all[5 + i].tokens);
  options.streams.seed = 6;
  EXPECT_NE(decoder.generate(std::span(prompts).first(3), options)[0].tokens, rest[0].tokens);
}

TEST(Generate, AgreesAcrossInstructionSets) {
  for (const ModelConfig& config : {small_neox(), small_llama()}) {
    const Weights weights = lively_weights(config, 8);
    const Prompts prompts = mixed_prompts(config);
    const Decoder portable(config, weights,
                           {.threads = 1, .instructions = InstructionSet::kPortable});
    const std::vector<Sequence> expected = portable.generate(prompts, plain_options(10));
    for (const InstructionSet set : instruction_sets_of_cpu()) {
      const Decoder decoder(config, weights, {.threads = 1, .instructions = set});
      const std::vector<Sequence> sequences = decoder.generate(prompts, plain_options(10));
      for (std::size_t i = 0; i < prompts.size(); ++i) {
        EXPECT_EQ(sequences[i].tokens, expected[i].tokens);
        for (std::size_t t = 0; t < 10; ++t) {
          EXPECT_NEAR(sequences[i].log_probabilities[t], expected[i].log_probabilities[t], 1e-4f);
        }
      }
    }
  }
}

TEST(Generate, EndsASequenceAfterTheStopToken) {
  const ModelConfig config = small_neox();
  const Decoder decoder = one_thread(config, lively_weights(config, 9));
  const Prompts prompts = mixed_prompts(config);
  const std::vector<Sequence> all = decoder.generate(prompts, plain_options(20));
  const TokenId stop = all[0].tokens[4];
  GenerateOptions options = plain_options(20);
  options.sampling.stop = stop;
  const std::vector<Sequence> some = decoder.generate(prompts, options);
  int stopped = 0;
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    const auto end = std::find(all[i].tokens.begin(), all[i].tokens.end(), stop);
    const auto size = std::min<std::ptrdiff_t>(end - all[i].tokens.begin() + 1, 20);
    EXPECT_EQ(some[i].stopped, end != all[i].tokens.end());
    EXPECT_EQ(some[i].tokens,
              std::vector<TokenId>(all[i].tokens.begin(), all[i].tokens.begin() + size));
    EXPECT_EQ(some[i].log_probabilities.size(), some[i].tokens.size());
    stopped += some[i].stopped ? 1 : 0;
  }
  EXPECT_GE(stopped, 1);
}

TEST(Generate, EndsAtTheLastPositionOfTheModel) {
  const ModelConfig config = small_neox();  // 64 positions
  const Decoder decoder = one_thread(config, lively_weights(config, 10));
  const Prompts prompts = {random_tokens(config, 63, 1), random_tokens(config, 60, 2),
                           random_tokens(config, 1, 3)};
  for (const std::int64_t most : {std::int64_t{100}, std::numeric_limits<std::int64_t>::max()}) {
    const std::vector<Sequence> sequences = decoder.generate(prompts, plain_options(most));
    EXPECT_EQ(sequences[0].tokens.size(), 1u);
    EXPECT_EQ(sequences[1].tokens.size(), 4u);
    EXPECT_EQ(sequences[2].tokens.size(), 63u);
    EXPECT_FALSE(sequences[2].stopped);
  }
}

TEST(Generate, TellsItsProgressAndStopsWhenAsked) {
  const ModelConfig config = small_neox();
  const Decoder decoder = one_thread(config, lively_weights(config, 11));
  const Prompts prompts = mixed_prompts(config);  // 11 of them
  const std::vector<Sequence> all = decoder.generate(prompts, plain_options(6));
  GenerateOptions options = plain_options(6);
  options.batch = 4;
  std::vector<std::int64_t> tokens;
  std::vector<std::int64_t> finished;
  options.observe = [&](const GenerateOptions::Progress& progress) {
    tokens.push_back(progress.tokens);
    finished.push_back(progress.finished);
    return progress.tokens < 32;
  };
  const std::vector<Sequence> some = decoder.generate(prompts, options);
  EXPECT_EQ(tokens, (std::vector<std::int64_t>{4, 8, 12, 16, 20, 24, 28, 32}));
  EXPECT_EQ(finished, (std::vector<std::int64_t>{0, 0, 0, 0, 0, 4, 4, 4}));
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    const std::size_t size = i < 4 ? 6 : i < 8 ? 2 : 0;
    ASSERT_EQ(some[i].tokens.size(), size);
    EXPECT_TRUE(std::equal(some[i].tokens.begin(), some[i].tokens.end(), all[i].tokens.begin()));
  }
}

TEST(Generate, FollowsNewWeights) {
  const ModelConfig config = small_llama();
  const Weights first = lively_weights(config, 12);
  const Weights second = lively_weights(config, 13);
  Decoder decoder = one_thread(config, first);
  const Prompts prompts = mixed_prompts(config);
  const std::vector<Sequence> before = decoder.generate(prompts, plain_options(5));
  decoder.load(second);
  expect_equal(decoder.generate(prompts, plain_options(5)),
               one_thread(config, second).generate(prompts, plain_options(5)));
  decoder.load(first);
  expect_equal(decoder.generate(prompts, plain_options(5)), before);
}

TEST(Generate, NeedsNoPrompts) {
  const ModelConfig config = small_neox();
  EXPECT_TRUE(
      one_thread(config, lively_weights(config, 14)).generate({}, plain_options(3)).empty());
}

TEST(Generate, RefusesPromptsAndOptionsThatBreakARule) {
  const ModelConfig config = small_neox();
  const Decoder decoder = one_thread(config, lively_weights(config, 15));
  const auto throws = [&](const Prompts& prompts, auto change) {
    GenerateOptions options = plain_options(3);
    change(options);
    EXPECT_THROW(decoder.generate(prompts, options), InvalidInput);
  };
  const auto nothing = [](GenerateOptions&) {};
  throws({{1}, {}}, nothing);
  throws({{75}}, nothing);
  throws({{-1}}, nothing);
  throws({std::vector<TokenId>(64, 1)}, nothing);  // no position remains
  throws({{1}}, [](GenerateOptions& o) { o.batch = 0; });
  throws({{1}}, [](GenerateOptions& o) { o.sampling.temperature = -1; });
  throws({{1}}, [](GenerateOptions& o) { o.sampling.temperature = 1e-9; });
  throws({{1}}, [](GenerateOptions& o) { o.sampling.temperature = std::nan(""); });
  throws({{1}}, [](GenerateOptions& o) { o.sampling.top_k = -1; });
  throws({{1}}, [](GenerateOptions& o) { o.sampling.top_p = 0; });
  throws({{1}}, [](GenerateOptions& o) { o.sampling.top_p = 1.01; });
  throws({{1}}, [](GenerateOptions& o) { o.sampling.top_p = std::nan(""); });
  throws({{1}}, [](GenerateOptions& o) { o.sampling.max_new_tokens = 0; });
}

TEST(Generate, SurvivesWeightsThatAreNotNumbers) {
  const ModelConfig config = small_neox();
  Weights weights = lively_weights(config, 16);
  std::vector<float> head = floats_of(weights.at("embed_out.weight"));
  std::fill(head.begin(), head.end(), std::numeric_limits<float>::quiet_NaN());
  weights.put("embed_out.weight", head, {config.vocabulary, config.hidden});
  const Decoder decoder = one_thread(config, weights);
  for (const NamedSampling& sampling : samplings()) {
    GenerateOptions options = plain_options(3);
    options.sampling = sampling.options;
    options.sampling.max_new_tokens = 3;
    const std::vector<Sequence> sequences = decoder.generate(Prompts{{1, 2}}, options);
    EXPECT_EQ(sequences[0].tokens.size(), 3u);
    for (const TokenId token : sequences[0].tokens)
      EXPECT_TRUE(token >= 0 && token < config.vocabulary);
    EXPECT_TRUE(std::isnan(sequences[0].log_probabilities[0]));
  }
}

}  // namespace
}  // namespace rgu::llm
