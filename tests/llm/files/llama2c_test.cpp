#include "rgu/llm/files/llama2c.hpp"

#include <array>

#include "llm/data.hpp"
#include "llm/files/file_testing.hpp"
#include "llm/files/small_llama2c.hpp"
#include "rgu/llm/files/parameters.hpp"
#include "rgu/llm/files/safetensors.hpp"

namespace rgu::llm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refused(const std::string& bytes) {
  const TemporaryFolder folder;
  put(folder / "model.bin", bytes);
  return refusal([&] { read_llama2c(folder / "model.bin"); });
}

TEST(Llama2c, GivesTheRealModelToTheLastBit) {
  RGU_DATA_FILE(path, "models/stories260K.bin");
  const ModelFiles model = open_model(path);
  const Weights golden =
      read_safetensors(data_folder() / "golden/stories260K_hf_llama_score.safetensors");
  const ModelConfig config = read_model_config(data_folder() / "golden/stories260K_hf_config.json");
  EXPECT_EQ(model.config.vocabulary, config.vocabulary);
  EXPECT_EQ(model.config.hidden, config.hidden);
  EXPECT_EQ(model.config.layers, config.layers);
  EXPECT_EQ(model.config.heads, config.heads);
  EXPECT_EQ(model.config.key_value_heads, config.key_value_heads);
  EXPECT_EQ(model.config.intermediate, config.intermediate);
  EXPECT_EQ(model.config.max_positions, config.max_positions);
  EXPECT_EQ(model.config.norm_epsilon, config.norm_epsilon);
  EXPECT_EQ(model.config.eos, config.eos);
  EXPECT_TRUE(model.config.tied_embeddings);
  EXPECT_EQ(model.weights.tensors.size() + 3,
            golden.tensors.size());  // without score head and output head
  for (const auto& [name, tensor] : model.weights.tensors) {
    const TensorView& expected = golden.at(name);
    ASSERT_EQ(tensor.shape, expected.shape) << name;
    EXPECT_TRUE(std::ranges::equal(tensor.bytes, expected.bytes)) << name;
  }
  EXPECT_TRUE(std::ranges::equal(model.weights.at("model.embed_tokens.weight").bytes,
                                 golden.at("lm_head.weight").bytes));
}

TEST(Llama2c, PutsEveryNumberInItsPlace) {
  const TemporaryFolder folder;
  put(folder / "model.bin", small_llama2c());
  const ModelFiles model = open_model(folder / "model.bin");
  EXPECT_EQ(model.folder, folder.path());
  EXPECT_TRUE(model.config.tied_embeddings);
  const Weights& weights = model.weights;
  // Numbers count up through the file: 3 x 8 embeddings, then 8 of the norm, then q (8 x 8), ...
  EXPECT_EQ(floats_of(weights.at("model.embed_tokens.weight"))[23], 23);
  EXPECT_EQ(floats_of(weights.at("model.layers.0.input_layernorm.weight"))[0], 24);
  const auto first_column = [&](const char* name) {
    const std::vector<float> values = floats_of(weights.at(name));
    std::vector<float> column;
    for (std::size_t row = 0; row < values.size() / 8; ++row) column.push_back(values[8 * row]);
    return column;
  };
  // Two heads of size 4: rows 0, 2, 1, 3 of each.
  EXPECT_THAT(first_column("model.layers.0.self_attn.q_proj.weight"),
              ElementsAre(32, 48, 40, 56, 64, 80, 72, 88));
  EXPECT_THAT(first_column("model.layers.0.self_attn.k_proj.weight"),
              ElementsAre(96, 112, 104, 120));
  EXPECT_THAT(first_column("model.layers.0.self_attn.v_proj.weight"),
              ElementsAre(128, 136, 144, 152));
  EXPECT_EQ(floats_of(weights.at("model.layers.0.self_attn.o_proj.weight"))[0], 160);
  EXPECT_EQ(floats_of(weights.at("model.layers.0.post_attention_layernorm.weight"))[0], 224);
  EXPECT_EQ(floats_of(weights.at("model.layers.0.mlp.gate_proj.weight"))[0], 232);
  EXPECT_EQ(floats_of(weights.at("model.layers.0.mlp.down_proj.weight"))[0], 256);
  EXPECT_EQ(floats_of(weights.at("model.layers.0.mlp.up_proj.weight"))[0], 280);
  EXPECT_EQ(floats_of(weights.at("model.norm.weight"))[0], 304);
}

TEST(Llama2c, WithANegativeVocabularyHasAnOutputHead) {
  const TemporaryFolder folder;
  put(folder / "model.bin", small_llama2c({.tied = false}));
  const ModelFiles model = open_model(folder / "model.bin");
  EXPECT_FALSE(model.config.tied_embeddings);
  EXPECT_EQ(model.config.vocabulary, 3);
  EXPECT_EQ(floats_of(model.weights.at("lm_head.weight"))[0],
            312 + 2 * 5 * 2);  // after cosines and sines
}

TEST(Llama2c, OfAnotherSizeOrVersionIsRefused) {
  const std::string whole = small_llama2c();
  EXPECT_THAT(refused(whole.substr(0, 27)), HasSubstr("has 27 bytes"));
  EXPECT_THAT(refused(whole.substr(0, whole.size() - 4)), HasSubstr("its header asks for"));
  EXPECT_THAT(refused(whole + "more"), HasSubstr("its header asks for"));
  std::string later = whole;
  later.replace(0, 4, "24ka");
  EXPECT_THAT(refused(later), HasSubstr("later version"));
  std::string negative = whole;
  negative[3] = '\x80';
  EXPECT_THAT(refused(negative), HasSubstr("hidden_size"));
  std::string huge = whole;
  for (const std::size_t at : {1u, 5u}) huge[at] = '\x7f';  // dim and hidden_dim
  EXPECT_THAT(refused(huge), HasSubstr("its header asks for"));
  std::string odd = whole;  // heads of size 1 cannot be rotated
  odd[12] = 8;
  EXPECT_THAT(refused(odd), HasSubstr("at least 2"));
}

}  // namespace
}  // namespace rgu::llm
