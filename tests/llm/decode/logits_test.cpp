#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "llm/data.hpp"
#include "llm/decode/plain_model.hpp"
#include "llm/decode/small_models.hpp"
#include "rgu/base/check.hpp"
#include "rgu/llm/files/model_files.hpp"
#include "rgu/llm/files/safetensors.hpp"

namespace rgu::llm {
namespace {

namespace fs = std::filesystem;

nlohmann::json json_in(const fs::path& path) { return nlohmann::json::parse(std::ifstream(path)); }

fs::path reference(const char* name) { return fs::path(RGU_REFERENCE_DIR) / "llm" / name; }

// The adapter as a folder would give it.
AdapterFiles tiny_adapter(const nlohmann::json& golden) {
  const std::string prefix = "base_model.model.";
  AdapterFiles adapter;
  adapter.config.rank = golden.at("r");
  adapter.config.alpha = golden.at("alpha");
  adapter.config.target_modules = {"query_key_value"};
  const Weights stored = read_safetensors(reference("tiny_neox_lora.safetensors"));
  adapter.weights.owners = stored.owners;
  for (const auto& [name, tensor] : stored.tensors) {
    adapter.weights.tensors[name.substr(prefix.size(), name.rfind(".weight") - prefix.size())] =
        tensor;
  }
  return adapter;
}

void expect_golden(const Decoder& decoder, const std::vector<TokenId>& tokens,
                   const nlohmann::json& golden, double tolerance) {
  const std::vector<float> logits = decoder.logits(tokens);
  const auto rows = golden.at("logits").get<std::vector<std::vector<double>>>();
  const auto log_probabilities = golden.at("token_logprobs").get<std::vector<double>>();
  ASSERT_EQ(rows.size(), tokens.size());
  for (std::size_t t = 0; t < rows.size(); ++t) {
    std::vector<double> row(rows[t].size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = static_cast<double>(logits[t * row.size() + i]);
      EXPECT_NEAR(row[i], rows[t][i], tolerance) << t << " " << i;
    }
    if (t + 1 < rows.size()) {
      EXPECT_NEAR(log_softmax(row, 1, tokens[t + 1]), log_probabilities[t], tolerance);
    }
  }
}

TEST(Logits, OfTheSmallNeoxAreTheGoldenOnes) {
  const nlohmann::json golden = json_in(reference("tiny_neox_golden.json"));
  const ModelFiles model = open_model(reference("tiny_neox.safetensors"));
  const auto tokens = golden.at("input_ids").get<std::vector<TokenId>>();
  for (const InstructionSet set : instruction_sets_of_cpu()) {
    const Decoder decoder(model.config, model.weights, {.threads = 2, .instructions = set});
    expect_golden(decoder, tokens, golden, golden.at("tolerance"));
  }
}

TEST(Logits, OfTheSmallNeoxWithItsAdapterMergedAreTheGoldenOnes) {
  const nlohmann::json golden = json_in(reference("tiny_neox_golden.json"));
  const ModelFiles model = open_model(reference("tiny_neox.safetensors"));
  const auto tokens = golden.at("input_ids").get<std::vector<TokenId>>();
  const Weights with = merged(model.config, model.weights, tiny_adapter(golden.at("lora")));
  Decoder decoder = one_thread(model.config, with);
  expect_golden(decoder, tokens, golden.at("lora"), golden.at("tolerance"));
  decoder.load(model.weights);
  expect_golden(decoder, tokens, golden, golden.at("tolerance"));
}

void expect_story(const ModelConfig& config, const Weights& weights, const nlohmann::json& golden) {
  const auto story = golden.at("greedy_ids").get<std::vector<TokenId>>();
  const auto read = golden.at("input_ids").get<std::vector<TokenId>>();
  const auto last = golden.at("last_logits").get<std::vector<double>>();
  for (const InstructionSet set : instruction_sets_of_cpu()) {
    const Decoder decoder(config, weights, {.threads = 1, .instructions = set});
    const std::vector<float> logits = decoder.logits(read);
    for (std::size_t i = 0; i < last.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(logits[(read.size() - 1) * last.size() + i]), last[i],
                  golden.at("tolerance").get<double>());
    }
    GenerateOptions options;
    options.sampling.temperature = 0;
    options.sampling.max_new_tokens = static_cast<std::int64_t>(story.size()) - 1;
    const std::vector<std::vector<TokenId>> prompt = {{story.front()}};
    const std::vector<Sequence> sequences = decoder.generate(prompt, options);
    EXPECT_EQ(sequences[0].tokens, std::vector<TokenId>(story.begin() + 1, story.end()));
  }
}

TEST(Logits, OfARealSmallLlamaGiveItsStory) {
  RGU_DATA_FILE(path, "models/stories260K.bin");
  const ModelFiles model = open_model(path);
  expect_story(model.config, model.weights,
               json_in(data_folder() / "golden/stories260K_golden.json"));
}

TEST(Logits, OfTheSameLlamaInTheOtherLayoutGiveItsStory) {
  RGU_DATA_FILE(path, "golden/stories260K_hf_llama_score.safetensors");
  const fs::path folder = path.parent_path();
  expect_story(read_model_config(folder / "stories260K_hf_config.json"), read_safetensors(path),
               json_in(folder / "stories260K_golden.json"));
}

TEST(Logits, EqualPlainLoopsForEveryShapeAndInstructionSet) {
  for (const SmallModel& model : small_models()) {
    const Weights weights = lively_weights(model.config, 1);
    const std::vector<TokenId> tokens = random_tokens(model.config, 37, 2);
    const std::vector<std::vector<double>> plain = plain_logits(model.config, weights, tokens);
    for (const InstructionSet set : instruction_sets_of_cpu()) {
      const Decoder decoder(model.config, weights, {.threads = 2, .instructions = set});
      const std::vector<float> logits = decoder.logits(tokens);
      double worst = 0;
      for (std::size_t t = 0; t < tokens.size(); ++t) {
        for (std::size_t i = 0; i < plain[t].size(); ++i) {
          const auto got = static_cast<double>(logits[t * plain[t].size() + i]);
          ASSERT_FALSE(std::isnan(got)) << model.name;
          worst = std::max(worst, std::abs(got - plain[t][i]));
        }
      }
      EXPECT_LT(worst, 1e-4) << model.name << " " << name_of(set);
    }
  }
}

TEST(Logits, OfHalfPrecisionWeightsAreThoseOfTheirValues) {
  const ModelConfig config = small_neox();
  const Weights weights = lively_weights(config, 3);
  const std::vector<TokenId> tokens = random_tokens(config, 9, 4);
  for (const DataType type : {DataType::kBF16, DataType::kF16}) {
    Weights half;
    Weights rounded;
    for (const auto& [name, tensor] : weights.tensors) {
      const auto bytes = std::make_shared<std::vector<std::byte>>(converted(tensor, type));
      half.tensors[name] = {.type = type, .shape = tensor.shape, .bytes = *bytes};
      half.owners.push_back(bytes);
      rounded.put(name, floats_of(half.tensors[name]), tensor.shape);
    }
    EXPECT_EQ(one_thread(config, half).logits(tokens), one_thread(config, rounded).logits(tokens));
  }
}

TEST(Logits, OfManyPositionsEqualThoseOfEachPrefix) {
  // Prefixes end inside and at the ends of key blocks and of passes of 64 rows.
  ModelConfig config = small_llama();
  config.max_positions = 200;
  const Decoder decoder(config, lively_weights(config, 5), {.threads = 2, .instructions = {}});
  const std::vector<TokenId> tokens = random_tokens(config, 150, 6);
  const std::vector<float> all = decoder.logits(tokens);
  for (const std::size_t size : {1, 15, 16, 17, 64, 65, 128, 149, 150}) {
    const std::vector<float> some = decoder.logits(std::span(tokens).first(size));
    EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin())) << size;
  }
}

TEST(Logits, RefuseWhatIsNotASequence) {
  const ModelConfig config = small_neox();
  const Decoder decoder = one_thread(config, lively_weights(config, 7));
  EXPECT_THROW(decoder.logits({}), InvalidInput);
  EXPECT_THROW(decoder.logits(std::vector<TokenId>{0, -1}), InvalidInput);
  EXPECT_THROW(decoder.logits(std::vector<TokenId>{75}), InvalidInput);
  EXPECT_THROW(decoder.logits(std::vector<TokenId>(65, 1)), InvalidInput);
  EXPECT_NO_THROW(decoder.logits(std::vector<TokenId>(64, 1)));
}

TEST(Decoder, RefusesWeightsThatDoNotFit) {
  const ModelConfig config = small_neox();
  Weights weights = lively_weights(config, 8);
  Decoder decoder = one_thread(config, weights);
  ModelConfig wider = config;
  wider.hidden = 96;
  EXPECT_THROW(Decoder(wider, weights), InvalidInput);
  weights.tensors.erase("embed_out.weight");
  EXPECT_THROW(Decoder(config, weights), InvalidInput);
  EXPECT_THROW(decoder.load(weights), InvalidInput);
  EXPECT_THROW(Decoder(config, lively_weights(config, 8), {.threads = -1, .instructions = {}}),
               InvalidInput);
}

TEST(Decoder, KeepsWhatItHadWhenNewWeightsDoNotFit) {
  const ModelConfig config = small_neox();
  const Weights weights = lively_weights(config, 8);
  Decoder decoder = one_thread(config, weights);
  const std::vector<TokenId> tokens = random_tokens(config, 5, 1);
  const std::vector<float> before = decoder.logits(tokens);
  EXPECT_THROW(decoder.load({}), InvalidInput);
  EXPECT_EQ(decoder.logits(tokens), before);
}

TEST(Decoder, SaysWhatItIs) {
  const ModelConfig config = small_neox();
  const Decoder decoder(config, lively_weights(config, 9),
                        {.threads = 3, .instructions = InstructionSet::kPortable});
  EXPECT_EQ(decoder.threads(), 3);
  EXPECT_EQ(decoder.instructions(), InstructionSet::kPortable);
  EXPECT_EQ(name_of(decoder.instructions()), "portable");
  EXPECT_EQ(decoder.config().vocabulary, 75);
  // Panels of 32: qkv 5, mlp in 4, both out 2 with 148 inputs, head 3; a bias for each column.
  EXPECT_EQ(decoder.packed_bytes(), 4u * 32 * (2 * (9 * 49 + 2 * 149) + 3 * 49));
}

}  // namespace
}  // namespace rgu::llm
