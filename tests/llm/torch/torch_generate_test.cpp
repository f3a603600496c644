#include "rgu/llm/torch/torch_generate.hpp"

#include <cmath>

#include "llm/data.hpp"
#include "models.hpp"
#include "rgu/base/check.hpp"
#include "rgu/llm/files/safetensors.hpp"

namespace rgu::llm {
namespace {

using Prompts = std::vector<std::vector<TokenId>>;

const Prompts kPrompts = {{3, 1, 4}, {1, 5, 9, 2, 6, 5}, {3}, {3, 1, 4}, {8, 9, 7, 9}};

GenerateOptions options_of(const SamplingOptions& sampling) {
  return {.sampling = sampling, .streams = {.seed = 11, .stream = 2}};
}

at::Tensor ids_of_tokens(std::vector<TokenId> tokens, const std::vector<TokenId>& more = {}) {
  tokens.insert(tokens.end(), more.begin(), more.end());
  return ids_of({tokens.begin(), tokens.end()});
}

at::Tensor decoder_logits(const Decoder& decoder, const std::vector<TokenId>& tokens) {
  const std::vector<float> logits = decoder.logits(tokens);
  const auto positions = static_cast<std::int64_t>(tokens.size());
  return at::tensor(logits).view({positions, decoder.config().vocabulary});
}

TEST(TorchGenerate, LogitsAreThoseOfTheDecoder) {
  for (const ModelConfig& config : small_models()) {
    Transformer model = small_model(config);
    Decoder decoder(config, lively_weights(config), {.threads = 1});
    const std::vector<TokenId> tokens = {5, 0, 28, 13, 13, 7, 2, 21, 9};
    const auto logits = [&] { return model.logits(model.forward(ids_of_tokens(tokens)))[0]; };
    EXPECT_LT(distance(decoder_logits(decoder, tokens), logits()), 1e-4);
    // After a training step the decoder gets the adapted weights.
    const at::Tensor base = logits();
    add_lively_adapter(model);
    decoder.load(weights_of(model));
    EXPECT_LT(distance(decoder_logits(decoder, tokens), logits()), 1e-4);
    EXPECT_GT(distance(logits(), base), 0.1);
  }
}

TEST(TorchGenerate, SamplesTheTokensThatTheDecoderSamples) {
  const std::vector<SamplingOptions> cases = {
      {.max_new_tokens = 12},
      {.temperature = 0, .max_new_tokens = 12},
      {.temperature = 0.7, .top_k = 5, .max_new_tokens = 12},
      {.temperature = 1.5, .top_p = 0.8, .max_new_tokens = 12},
      {.top_k = 9, .top_p = 0.6, .max_new_tokens = 12, .stop = 7},
  };
  for (const ModelConfig& config : small_models()) {
    const Transformer model = small_model(config);
    const Decoder decoder(config, lively_weights(config), {.threads = 1});
    for (const SamplingOptions& sampling : cases) {
      const std::vector<Sequence> here = generate(model, kPrompts, options_of(sampling));
      const std::vector<Sequence> there = decoder.generate(kPrompts, options_of(sampling));
      for (std::size_t i = 0; i < kPrompts.size(); ++i) {
        ASSERT_EQ(here[i].tokens, there[i].tokens);
        ASSERT_EQ(here[i].stopped, there[i].stopped);
        for (std::size_t t = 0; t < here[i].tokens.size(); ++t) {
          ASSERT_NEAR(here[i].log_probabilities[t], there[i].log_probabilities[t], 1e-4);
        }
      }
    }
  }
}

TEST(TorchGenerate, LogProbabilitiesAreThoseOfAFreshForwardPass) {
  const ModelConfig config = small_llama();
  const Transformer model = small_model(config);
  const std::vector<Sequence> sequences =
      generate(model, kPrompts, options_of({.temperature = 1.3, .top_k = 7, .max_new_tokens = 9}));
  for (std::size_t i = 0; i < kPrompts.size(); ++i) {
    const at::Tensor ids = ids_of_tokens(kPrompts[i], sequences[i].tokens);
    const at::Tensor logs = token_log_probabilities(model.logits(model.forward(ids))[0] / 1.3, ids);
    const auto prompt = static_cast<std::int64_t>(kPrompts[i].size());
    for (std::int64_t t = 0; t < 9; ++t) {
      EXPECT_NEAR(sequences[i].log_probabilities[static_cast<std::size_t>(t)],
                  logs[prompt - 1 + t].item<float>(), 1e-4);
    }
  }
}

TEST(TorchGenerate, ASequenceDoesNotDependOnItsBatchMates) {
  const ModelConfig config = small_neox();
  const Transformer model = small_model(config);
  GenerateOptions options = options_of({.max_new_tokens = 10});
  const std::vector<Sequence> together = generate(model, kPrompts, options);
  EXPECT_NE(together[0].tokens, together[3].tokens);  // equal prompts, streams of their own
  options.batch = 2;
  const std::vector<Sequence> in_pairs = generate(model, kPrompts, options);
  for (std::size_t i = 0; i < kPrompts.size(); ++i) {
    EXPECT_EQ(in_pairs[i].tokens, together[i].tokens);
    options.first_sequence = static_cast<std::uint32_t>(i);
    const std::vector<Sequence> alone = generate(model, Prompts{kPrompts[i]}, options);
    EXPECT_EQ(alone[0].tokens, together[i].tokens);
  }
}

// sum (observed - expected)^2 / expected over the tokens that are expected at all, others must not
// come.
double chi_square(const std::vector<double>& probabilities, const std::vector<double>& counts,
                  double draws) {
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (probabilities[i] == 0) {
      EXPECT_EQ(counts[i], 0) << "token " << i;
      continue;
    }
    const double expected = draws * probabilities[i];
    sum += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  return sum;
}

TEST(TorchGenerate, FrequenciesMatchTheProbabilities) {
  ModelConfig config = small_neox();
  config.vocabulary = 8;
  const Transformer model = small_model(config);
  constexpr std::size_t kDraws = 4000;
  const Prompts prompts(kDraws, {1, 2, 3});
  const at::Tensor logits = model.logits(model.forward(ids_of({1, 2, 3})))[0][2];
  for (const std::int64_t top_k : {0, 4}) {
    at::Tensor scaled = logits.to(at::kDouble) / 2.0;
    if (top_k > 0) {
      const at::Tensor least = std::get<0>(scaled.topk(top_k)).min();
      scaled = scaled.masked_fill(scaled < least, -INFINITY);
    }
    const at::Tensor probabilities = at::softmax(scaled, 0);
    GenerateOptions options = options_of({.temperature = 2, .top_k = top_k, .max_new_tokens = 1});
    options.batch = 1000;
    std::vector<double> counts(8, 0.0);
    for (const Sequence& sequence : generate(model, prompts, options)) {
      counts[static_cast<std::size_t>(sequence.tokens.at(0))] += 1;
    }
    const double* p = probabilities.data_ptr<double>();
    // 7 degrees of freedom at most: above 29.9 with probability 1e-4.
    EXPECT_LT(chi_square({p, p + 8}, counts, kDraws), 29.9);
  }
}

TEST(TorchGenerate, EndsAtTheStopTokenTheLimitOrTheLastPosition) {
  ModelConfig config = small_neox();
  config.max_positions = 9;
  const Transformer model = small_model(config);
  const std::vector<Sequence> free =
      generate(model, kPrompts, options_of({.temperature = 0, .max_new_tokens = 20}));
  for (std::size_t i = 0; i < kPrompts.size(); ++i) {
    EXPECT_EQ(free[i].tokens.size(), 9 - kPrompts[i].size());
    EXPECT_FALSE(free[i].stopped);
  }
  const TokenId stop = free[2].tokens[3];
  const std::vector<Sequence> stopped =
      generate(model, kPrompts, options_of({.temperature = 0, .max_new_tokens = 20, .stop = stop}));
  EXPECT_TRUE(stopped[2].stopped);
  EXPECT_EQ(stopped[2].tokens.back(), stop);
  EXPECT_LE(stopped[2].tokens.size(), 4);
}

TEST(TorchGenerate, TellsItsProgressAndStopsWhenTold) {
  const Transformer model = small_model(small_neox());
  GenerateOptions options = options_of({.max_new_tokens = 4});
  std::vector<std::int64_t> tokens;
  options.observe = [&](const GenerateOptions::Progress& progress) {
    tokens.push_back(progress.tokens);
    EXPECT_EQ(progress.finished, progress.tokens == 20 ? 5 : 0);
    return true;
  };
  generate(model, kPrompts, options);
  EXPECT_EQ(tokens, (std::vector<std::int64_t>{5, 10, 15, 20}));
  options.observe = [&](const GenerateOptions::Progress& progress) { return progress.tokens < 10; };
  for (const Sequence& sequence : generate(model, kPrompts, options)) {
    EXPECT_EQ(sequence.tokens.size(), 2);
  }
}

TEST(TorchGenerate, RefusesPromptsThatCannotBeContinued) {
  ModelConfig config = small_neox();
  config.max_positions = 4;
  const Transformer model = small_model(config);
  const GenerateOptions options = options_of({.max_new_tokens = 2});
  EXPECT_THROW(generate(model, Prompts{{1}, {}}, options), InvalidInput);
  EXPECT_THROW(generate(model, Prompts{{1, 2, 3, 4}}, options), InvalidInput);
  EXPECT_THROW(generate(model, Prompts{{1}}, options_of({.top_p = 0})), InvalidInput);
  EXPECT_TRUE(generate(model, Prompts{}, options).empty());
}

TEST(TorchGenerate, TellsTheGreedyStoryOfTheRealModel) {
  RGU_DATA_FILE(path, "golden/stories260K_golden.json");
  const nlohmann::json golden = json_file(path);
  const Transformer model(
      read_model_config(data_folder() / "golden/stories260K_hf_config.json"),
      read_safetensors(data_folder() / "golden/stories260K_hf_llama_score.safetensors"));
  const std::vector<TokenId> greedy = golden["greedy_ids"];
  const Prompts prompts = {{greedy.begin(), greedy.begin() + 5},
                           {greedy.begin(), greedy.begin() + 20}};
  const std::vector<Sequence> sequences =
      generate(model, prompts, options_of({.temperature = 0, .max_new_tokens = 41}));
  EXPECT_EQ(sequences[1].tokens, std::vector<TokenId>(greedy.begin() + 20, greedy.end()));
}

}  // namespace
}  // namespace rgu::llm
