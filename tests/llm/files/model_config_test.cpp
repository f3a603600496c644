#include "rgu/llm/files/model_config.hpp"

#include "llm/data.hpp"
#include "llm/files/file_testing.hpp"

namespace rgu::llm {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

json gpt_neox_json() {
  return json::parse(contents(std::string(RGU_REFERENCE_DIR) + "/llm/tiny_neox_config.json"));
}

json llama_json() {
  return {{"model_type", "llama"},
          {"vocab_size", 32001},
          {"hidden_size", 4096},
          {"num_hidden_layers", 32},
          {"num_attention_heads", 32},
          {"intermediate_size", 11008},
          {"architectures", {"LlamaModelForScore"}},
          {"pad_token_id", 32000}};
}

// What is said of the JSON with `key` set to `value`.
std::string refused(json base, const char* key, const json& value) {
  base[key] = value;
  return refusal([&] { model_config_from(base, "config.json"); });
}

TEST(ModelConfigs, OfGptNeoXAreRead) {
  const ModelConfig config =
      read_model_config(std::string(RGU_REFERENCE_DIR) + "/llm/tiny_neox_config.json");
  EXPECT_EQ(config.architecture, Architecture::kGptNeoX);
  EXPECT_EQ(config.vocabulary, 96);
  EXPECT_EQ(config.hidden, 64);
  EXPECT_EQ(config.layers, 3);
  EXPECT_EQ(config.heads, 4);
  EXPECT_EQ(config.key_value_heads, 4);
  EXPECT_EQ(config.intermediate, 256);
  EXPECT_EQ(config.max_positions, 128);
  EXPECT_EQ(config.activation, Activation::kGelu);
  EXPECT_EQ(config.rotary_size(), 4);
  EXPECT_EQ(config.norm_epsilon, 1e-5);
  EXPECT_TRUE(config.parallel_residual);
  EXPECT_FALSE(config.tied_embeddings);
  EXPECT_EQ(config.eos, 0);
  EXPECT_FALSE(config.pad);
  EXPECT_FALSE(config.score);
}

TEST(ModelConfigs, OfARealLlamaAreRead) {
  RGU_DATA_FILE(path, "golden/stories260K_hf_config.json");
  const ModelConfig config = read_model_config(path);
  EXPECT_EQ(config.architecture, Architecture::kLlama);
  EXPECT_EQ(config.key_value_heads, 4);
  EXPECT_EQ(config.head_size(), 8);
  EXPECT_EQ(config.rotary_size(), 8);
  EXPECT_TRUE(config.tied_embeddings);
  ASSERT_TRUE(config.score);
  EXPECT_EQ(config.score->type, ScoreType::kCost);
  EXPECT_TRUE(config.score->bias);
}

TEST(ModelConfigs, WithoutAKeyHaveTheDefaultOfTransformers) {
  const ModelConfig config = model_config_from(llama_json(), "x");
  EXPECT_EQ(config.key_value_heads, 32);
  EXPECT_EQ(config.norm_epsilon, 1e-6);
  EXPECT_EQ(config.rotary_base, 10000);
  EXPECT_EQ(config.max_positions, 2048);
  EXPECT_EQ(config.bos, 1);
  EXPECT_EQ(config.eos, 2);
  EXPECT_EQ(config.pad, 32000);
  EXPECT_EQ(config.activation, Activation::kSilu);
  EXPECT_FALSE(config.tied_embeddings);
  ASSERT_TRUE(config.score);  // by the name of the class
  EXPECT_EQ(config.score->dimension, 1);
  EXPECT_EQ(config.score->type, ScoreType::kReward);
}

TEST(ModelConfigs, GoBothWays) {
  ModelConfig neox = small_gpt_neox();
  neox.rotary_fraction = 0.5;
  neox.rotary_base = 5000;
  neox.activation = Activation::kGeluTanh;
  neox.parallel_residual = false;
  neox.pad = 3;
  ModelConfig llama = small_llama();
  llama.tied_embeddings = true;
  llama.score = ScoreConfig{.dimension = 2,
                            .bias = false,
                            .type = ScoreType::kCost,
                            .normalize = true,
                            .mean = -1.13,
                            .variance = 8.88};
  ModelConfig critic = small_llama();
  critic.score = ScoreConfig{.type = ScoreType::kCritic};
  for (const ModelConfig& config : {neox, llama, critic, pythia("70m")}) {
    const json written = json_of(config);
    EXPECT_EQ(json_of(model_config_from(written, "x")), written);
  }
  const ModelConfig read = model_config_from(json_of(neox), "x");
  EXPECT_EQ(read.rotary_size(), neox.rotary_size());
  EXPECT_EQ(read.rotary_base, 5000);
  EXPECT_EQ(read.activation, Activation::kGeluTanh);
  EXPECT_FALSE(read.parallel_residual);
  EXPECT_EQ(read.pad, 3);
  const ModelConfig scorer = model_config_from(json_of(llama), "x");
  EXPECT_TRUE(scorer.tied_embeddings);
  EXPECT_EQ(scorer.key_value_heads, 2);
  EXPECT_EQ(scorer.score->dimension, 2);
  EXPECT_FALSE(scorer.score->bias);
  EXPECT_TRUE(scorer.score->normalize);
  EXPECT_EQ(scorer.score->mean, -1.13);
  EXPECT_EQ(scorer.score->variance, 8.88);
}

TEST(ModelConfigs, NameTheirClass) {
  EXPECT_EQ(json_of(small_gpt_neox())["architectures"][0], "GPTNeoXForCausalLM");
  EXPECT_EQ(json_of(small_llama())["architectures"][0], "LlamaForCausalLM");
  ModelConfig scorer = small_llama();
  scorer.score = ScoreConfig{};
  EXPECT_EQ(json_of(scorer)["architectures"][0], "LlamaForScore");
  scorer = small_gpt_neox();
  scorer.score = ScoreConfig{};
  EXPECT_EQ(json_of(scorer)["architectures"][0], "GPTNeoXForScore");
}

TEST(ModelConfigs, FindRotaryNumbersByOldAndNewNames) {
  json keys = gpt_neox_json();
  keys.erase("rotary_pct");
  keys.erase("rotary_emb_base");
  EXPECT_EQ(model_config_from(keys, "x").rotary_fraction, 0.25);
  keys["partial_rotary_factor"] = 0.5;
  keys["rope_theta"] = 20000;
  EXPECT_EQ(model_config_from(keys, "x").rotary_fraction, 0.5);
  EXPECT_EQ(model_config_from(keys, "x").rotary_base, 20000);
  keys["rope_parameters"] = {
      {"rope_type", "default"}, {"rope_theta", 30000.0}, {"partial_rotary_factor", 1.0}};
  EXPECT_EQ(model_config_from(keys, "x").rotary_fraction, 1);
  EXPECT_EQ(model_config_from(keys, "x").rotary_base, 30000);
}

TEST(ModelConfigs, TakeTheFirstOfSeveralEndTokensAndNoPadForMinusOne) {
  json keys = llama_json();
  keys["eos_token_id"] = {7, 8};
  keys["pad_token_id"] = -1;
  EXPECT_EQ(model_config_from(keys, "x").eos, 7);
  EXPECT_FALSE(model_config_from(keys, "x").pad);
}

TEST(ModelConfigs, ReadStatisticsAsNumbersOrLists) {
  json keys = llama_json();
  keys["mean"] = {-0.0757};
  keys["var"] = 3.19;
  EXPECT_EQ(model_config_from(keys, "x").score->mean, -0.0757);
  EXPECT_EQ(model_config_from(keys, "x").score->variance, 3.19);
  EXPECT_THAT(refused(llama_json(), "mean", {1, 2}), HasSubstr("mean is [1,2]"));
  EXPECT_THAT(refused(llama_json(), "var", -1), HasSubstr("var is -1"));
}

TEST(ModelConfigs, OfAnotherFunctionAreRefusedByName) {
  EXPECT_THAT(refused(gpt_neox_json(), "model_type", "mistral"),
              AllOf(HasSubstr("config.json: model_type is \"mistral\"")));
  EXPECT_THAT(refused(gpt_neox_json(), "hidden_act", "relu"), HasSubstr("hidden_act is \"relu\""));
  EXPECT_THAT(refused(llama_json(), "rope_scaling", {{"type", "linear"}, {"factor", 2}}),
              HasSubstr("rope_scaling"));
  EXPECT_THAT(refused(llama_json(), "rope_scaling", {{"factor", 2}}), HasSubstr("rope_scaling"));
  EXPECT_THAT(refused(llama_json(), "rope_parameters", {{"rope_type", "yarn"}}), HasSubstr("yarn"));
  EXPECT_THAT(refused(gpt_neox_json(), "attention_bias", false),
              HasSubstr("attention_bias is false"));
  EXPECT_THAT(refused(llama_json(), "attention_bias", true), HasSubstr("attention_bias is true"));
  EXPECT_THAT(refused(llama_json(), "mlp_bias", true), HasSubstr("mlp_bias is true"));
  EXPECT_THAT(refused(llama_json(), "head_dim", 64), HasSubstr("head_dim is 64"));
  EXPECT_THAT(refused(llama_json(), "partial_rotary_factor", 0.5), HasSubstr("0.5"));
  EXPECT_THAT(refused(llama_json(), "score_type", "safety"), HasSubstr("score_type is \"safety\""));
}

TEST(ModelConfigs, WithWrongSizesAreRefused) {
  EXPECT_THAT(refused(gpt_neox_json(), "vocab_size", 0),
              HasSubstr("vocab_size is 0, must be from 1"));
  EXPECT_THAT(refused(gpt_neox_json(), "vocab_size", nullptr),
              HasSubstr("vocab_size is not there"));
  EXPECT_THAT(refused(gpt_neox_json(), "vocab_size", 1.5),
              HasSubstr("vocab_size is 1.5, must be an integer"));
  EXPECT_THAT(refused(gpt_neox_json(), "hidden_size", 18446744073709551615u),
              HasSubstr("must be an integer"));
  EXPECT_THAT(refused(gpt_neox_json(), "hidden_size", std::int64_t{1} << 40),
              HasSubstr("hidden_size"));
  EXPECT_THAT(refused(gpt_neox_json(), "num_hidden_layers", 1000000),
              HasSubstr("num_hidden_layers is 1000000"));
  EXPECT_THAT(refused(gpt_neox_json(), "num_attention_heads", 5),
              HasSubstr("must divide hidden_size 64"));
  EXPECT_THAT(refused(gpt_neox_json(), "num_attention_heads", -4),
              HasSubstr("num_attention_heads is -4"));
  EXPECT_THAT(refused(gpt_neox_json(), "num_key_value_heads", 2),
              HasSubstr("must equal num_attention_heads"));
  EXPECT_THAT(refused(llama_json(), "num_key_value_heads", 3),
              HasSubstr("must divide num_attention_heads"));
  EXPECT_THAT(refused(gpt_neox_json(), "rotary_pct", 0.1), HasSubstr("must leave at least 2"));
  EXPECT_THAT(refused(gpt_neox_json(), "rotary_pct", 0.2),
              HasSubstr("3 dimensions of a head are rotated"));
  EXPECT_THAT(refused(gpt_neox_json(), "rotary_pct", 1.5), HasSubstr("rotary_pct is 1.5"));
  EXPECT_THAT(refused(gpt_neox_json(), "rotary_emb_base", 0), HasSubstr("must be at least 1"));
  EXPECT_THAT(refused(gpt_neox_json(), "layer_norm_eps", -1e-5), HasSubstr("epsilon"));
  EXPECT_THAT(refused(gpt_neox_json(), "eos_token_id", 96),
              HasSubstr("eos_token_id is 96, must be from 0 to 95"));
  EXPECT_THAT(refused(gpt_neox_json(), "pad_token_id", -2), HasSubstr("pad_token_id is -2"));
  EXPECT_THAT(refused(gpt_neox_json(), "tie_word_embeddings", 1), HasSubstr("true or false"));
  EXPECT_THAT(refused(llama_json(), "score_dim", 0), HasSubstr("score_dim is 0"));
  EXPECT_THAT(refusal([] { model_config_from(json::array(), "x"); }), HasSubstr("object"));
}

TEST(ModelConfigs, AreWrittenIntoFoldersAndFiles) {
  const TemporaryFolder folder;
  write_model_config(small_llama(), folder.path());
  EXPECT_EQ(json_of(read_model_config(folder.path())), json_of(small_llama()));
  EXPECT_EQ(json_of(read_model_config(folder / "config.json")), json_of(small_llama()));
}

TEST(PythiaSizes, ThatAreNoneAreRefusedWithTheList) {
  EXPECT_EQ(pythia("410m").layers, 24);
  EXPECT_THAT(refusal([] { pythia("71m"); }), AllOf(HasSubstr("'71m'"), HasSubstr("70m, 160m")));
}

}  // namespace
}  // namespace rgu::llm
