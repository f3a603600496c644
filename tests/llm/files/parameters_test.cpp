#include "rgu/llm/files/parameters.hpp"

#include <cmath>
#include <set>

#include "llm/files/file_testing.hpp"
#include "rgu/llm/files/safetensors.hpp"

namespace rgu::llm {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(ParameterCounts, OfThePythiaSuiteAreThePublishedOnes) {
  EXPECT_EQ(parameter_count(pythia("14m"), Head::kLanguage), 14'067'712);
  EXPECT_EQ(parameter_count(pythia("31m"), Head::kLanguage), 30'494'720);
  EXPECT_EQ(parameter_count(pythia("70m"), Head::kLanguage), 70'426'624);
  EXPECT_EQ(parameter_count(pythia("160m"), Head::kLanguage), 162'322'944);
  EXPECT_EQ(parameter_count(pythia("410m"), Head::kLanguage), 405'334'016);
  EXPECT_EQ(parameter_count(pythia("1b"), Head::kLanguage), 1'011'781'632);
  EXPECT_EQ(parameter_count(pythia("1.4b"), Head::kLanguage), 1'414'647'808);
  EXPECT_EQ(parameter_count(pythia("2.8b"), Head::kLanguage), 2'775'208'960);
  EXPECT_EQ(parameter_count(pythia("6.9b"), Head::kLanguage), 6'857'302'016);
  EXPECT_EQ(parameter_count(pythia("12b"), Head::kLanguage), 11'846'072'320);
}

TEST(ParameterCounts, OfTheLlama7bScoreModelIsThePublishedOne) {
  const ModelConfig config{.architecture = Architecture::kLlama,
                           .vocabulary = 32001,
                           .hidden = 4096,
                           .layers = 32,
                           .heads = 32,
                           .key_value_heads = 32,
                           .intermediate = 11008,
                           .max_positions = 2048,
                           .activation = Activation::kSilu,
                           .rotary_fraction = 1,
                           .score = ScoreConfig{}};
  EXPECT_EQ(parameter_count(config, Head::kScore), 6'607'351'809);
  EXPECT_EQ(parameters_of(config, Head::kScore).size(), 292u);
}

TEST(ParameterNames, OfATiedOutputHeadAreNotThere) {
  ModelConfig config = small_llama();
  const std::size_t untied = parameters_of(config, Head::kLanguage).size();
  config.tied_embeddings = true;
  EXPECT_EQ(parameters_of(config, Head::kLanguage).size(), untied - 1);
}

TEST(ParameterNames, AreThoseOfAFileFromElsewhere) {
  const Weights weights =
      read_safetensors(std::string(RGU_REFERENCE_DIR) + "/llm/tiny_neox.safetensors");
  const ModelConfig config =
      read_model_config(std::string(RGU_REFERENCE_DIR) + "/llm/tiny_neox_config.json");
  const auto parameters = parameters_of(config, Head::kLanguage);
  EXPECT_EQ(parameters.size(), weights.tensors.size());
  for (const Parameter& parameter : parameters)
    EXPECT_EQ(weights.at(parameter.name).shape, parameter.shape);
  EXPECT_EQ(parameters.front().name, "gpt_neox.embed_in.weight");
  EXPECT_EQ(parameters.back().name, "embed_out.weight");
}

class CheckedWeights : public testing::Test {
 protected:
  CheckedWeights() {
    Rng rng(1);
    weights_ = random_weights(config_, Head::kLanguage, rng);
  }
  std::string refused(Head head = Head::kLanguage) {
    return refusal([&] { check_weights(config_, head, weights_, "model.safetensors"); });
  }

  ModelConfig config_ = small_gpt_neox();
  Weights weights_;
};

TEST_F(CheckedWeights, ThatFitPassWithBuffersAndOtherHeads) {
  for (const char* extra :
       {"gpt_neox.layers.0.attention.bias", "gpt_neox.layers.1.attention.masked_bias",
        "gpt_neox.layers.0.attention.rotary_emb.inv_freq", "lm_head.weight", "score_head.weight",
        "score_head.bias", "normalizer.mean", "v_head.summary.weight"}) {
    weights_.put(extra, {1}, {1});
  }
  EXPECT_NO_THROW(check_weights(config_, Head::kLanguage, weights_, "x"));
}

TEST_F(CheckedWeights, ThatLackAScoreBiasPassButNotAScoreWeight) {
  config_.score = ScoreConfig{.bias = true};
  weights_.put("score_head.weight", std::vector<float>(16), {1, 16});
  EXPECT_NO_THROW(check_weights(config_, Head::kScore, weights_, "x"));
  weights_.tensors.erase("score_head.weight");
  EXPECT_THAT(refused(Head::kScore),
              AllOf(HasSubstr("missing: score_head.weight"), Not(HasSubstr("bias"))));
}

TEST_F(CheckedWeights, ThatDoNotFitAreListed) {
  weights_.tensors.erase("embed_out.weight");
  weights_.put("gpt_neox.layers.2.attention.dense.weight", {1}, {1});
  weights_.put("gpt_neox.final_layer_norm.bias", std::vector<float>(17), {17});
  weights_.tensors["gpt_neox.embed_in.weight"].type = DataType::kI32;
  EXPECT_THAT(refused(),
              AllOf(HasSubstr("model.safetensors: "), HasSubstr("; missing: embed_out.weight;"),
                    HasSubstr("; unexpected: 'gpt_neox.layers.2.attention.dense.weight';"),
                    HasSubstr("gpt_neox.final_layer_norm.bias has [17], must have [16]"),
                    HasSubstr("gpt_neox.embed_in.weight has values of type I32")));
}

TEST_F(CheckedWeights, OfManyFaultsNameTenAndCountTheRest) {
  weights_.tensors.clear();
  const std::string message = refused();
  EXPECT_THAT(message, HasSubstr(" and 18 more"));  // of 1 + 2 * 12 + 2 + 1
  EXPECT_THAT(message, AllOf(HasSubstr("gpt_neox.layers.0.mlp.dense_h_to_4h.weight"),
                             Not(HasSubstr("embed_out"))));
}

TEST(RandomWeights, HaveTheStatedDistributionAndDependOnTheSeedOnly) {
  ModelConfig config = small_gpt_neox();
  config.vocabulary = 5001;
  config.hidden = 38;  // not a multiple of four
  config.rotary_fraction = 0.5;
  config.heads = config.key_value_heads = 1;
  config.rotary_fraction = 10.0 / 38;
  config.initializer_range = 0.05;
  Rng rng(7);
  Rng same(7);
  Rng other(8);
  const Weights weights = random_weights(config, Head::kLanguage, rng);
  EXPECT_NO_THROW(check_weights(config, Head::kLanguage, weights, "x"));
  EXPECT_EQ(floats_of(weights.at("gpt_neox.layers.0.input_layernorm.weight")),
            std::vector<float>(38, 1));
  EXPECT_EQ(floats_of(weights.at("gpt_neox.layers.0.attention.dense.bias")),
            std::vector<float>(38, 0));

  const std::vector<float> values = floats_of(weights.at("gpt_neox.embed_in.weight"));
  EXPECT_EQ(
      values,
      floats_of(random_weights(config, Head::kLanguage, same).at("gpt_neox.embed_in.weight")));
  EXPECT_NE(
      values,
      floats_of(random_weights(config, Head::kLanguage, other).at("gpt_neox.embed_in.weight")));
  EXPECT_NE(values, floats_of(weights.at("embed_out.weight")));
  EXPECT_GT(std::set(values.begin(), values.end()).size(), values.size() * 99 / 100);

  // Moments of N(0, 1): 0, 1, 0, 3, each within four standard errors.
  const auto count = static_cast<double>(values.size());
  double moments[5] = {};
  for (const float value : values) {
    for (int power = 1; power <= 4; ++power)
      moments[power] += std::pow(static_cast<double>(value) / 0.05, power) / count;
  }
  EXPECT_NEAR(moments[1], 0, 4 / std::sqrt(count));
  EXPECT_NEAR(moments[2], 1, 4 * std::sqrt(2 / count));
  EXPECT_NEAR(moments[3], 0, 4 * std::sqrt(15 / count));
  EXPECT_NEAR(moments[4], 3, 4 * std::sqrt(96 / count));
}

}  // namespace
}  // namespace rgu::llm
