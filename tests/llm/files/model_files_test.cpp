#include "rgu/llm/files/model_files.hpp"

#include <nlohmann/json.hpp>

#include "llm/files/file_testing.hpp"
#include "rgu/base/text_file.hpp"
#include "rgu/llm/files/parameters.hpp"
#include "rgu/llm/files/safetensors.hpp"

namespace rgu::llm {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

Weights drawn(const ModelConfig& config, Head head) {
  Rng rng(3);
  return random_weights(config, head, rng);
}

void expect_equal(const Weights& read, const Weights& expected) {
  ASSERT_EQ(read.tensors.size(), expected.tensors.size());
  for (const auto& [name, tensor] : expected.tensors) {
    EXPECT_EQ(read.at(name).shape, tensor.shape);
    EXPECT_EQ(floats_of(read.at(name)), floats_of(tensor)) << name;
  }
}

TEST(ModelFolders, AreReadBackWhole) {
  const TemporaryFolder folder;
  for (const ModelConfig& config : {small_gpt_neox(), small_llama()}) {
    const Weights weights = drawn(config, Head::kLanguage);
    save_model(config, weights, folder / "deep/model");
    const ModelFiles read = open_model(folder / "deep/model");
    EXPECT_EQ(json_of(read.config), json_of(config));
    EXPECT_EQ(read.folder, folder / "deep/model");
    EXPECT_EQ(read.weights.metadata.at("format"), "pt");
    expect_equal(read.weights, weights);
    EXPECT_FALSE(
        float_memory(read.weights.at(parameters_of(config, Head::kLanguage)[0].name)).empty());
  }
}

TEST(ModelFolders, OfScoreModelsAreReadWithTheirHead) {
  const TemporaryFolder folder;
  ModelConfig config = small_llama();
  config.score = ScoreConfig{.type = ScoreType::kCost};
  save_model(config, drawn(config, Head::kScore), folder / "m");
  EXPECT_TRUE(open_model(folder / "m").weights.contains("score_head.bias"));
  // A language model whose configuration speaks of scores is one all the same.
  save_model(config, drawn(config, Head::kLanguage), folder / "m");
  EXPECT_FALSE(open_model(folder / "m").weights.contains("score_head.weight"));
}

TEST(ModelFolders, MayHoldShardsOf16BitFloats) {
  const TemporaryFolder folder;
  const ModelConfig config = small_gpt_neox();
  const Weights weights = drawn(config, Head::kLanguage);
  for (const DataType type : {DataType::kF16, DataType::kBF16}) {
    save_model(config, weights, folder / "m", {.type = type, .shard_bytes = 2000});
    EXPECT_FALSE(std::filesystem::exists(folder / "m/model.safetensors"));
    const ModelFiles read = open_model(folder / "m");
    EXPECT_EQ(json::parse(contents(folder / "m/config.json"))["torch_dtype"],
              type == DataType::kF16 ? "float16" : "bfloat16");
    for (const auto& [name, tensor] : weights.tensors) {
      EXPECT_TRUE(std::ranges::equal(read.weights.at(name).bytes, converted(tensor, type))) << name;
    }
  }
}

TEST(ModelFolders, AreKnownByAFileWithItsConfigurationBesideIt) {
  const ModelFiles model =
      open_model(std::string(RGU_REFERENCE_DIR) + "/llm/tiny_neox.safetensors");
  EXPECT_EQ(model.config.vocabulary, 96);
  const TemporaryFolder folder;
  write_safetensors(folder / "some.safetensors", model.weights);
  EXPECT_THAT(refusal([&] { open_model(folder / "some.safetensors"); }),
              HasSubstr("some_config.json"));
  write_model_config(model.config, folder.path());
  EXPECT_EQ(open_model(folder / "some.safetensors").config.hidden, 64);
}

TEST(ModelFolders, ThatDoNotAgreeAreRefused) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal([&] { open_model(folder / "none"); }), HasSubstr("no such file or folder"));
  EXPECT_THAT(refusal([&] { open_model(folder / std::string(5000, 'x')); }), HasSubstr("no such"));
  EXPECT_THAT(refusal([&] { open_model(folder.path()); }), HasSubstr("config.json"));
  write_model_config(small_llama(), folder.path());
  put(folder / "pytorch_model.bin", "");
  EXPECT_THAT(refusal([&] { open_model(folder.path()); }),
              AllOf(HasSubstr("neither model.safetensors nor"),
                    HasSubstr("pytorch_model.bin is not read")));
  write_safetensors(folder / "model.safetensors", drawn(small_gpt_neox(), Head::kLanguage));
  EXPECT_THAT(refusal([&] { open_model(folder.path()); }),
              AllOf(HasSubstr("missing: model.embed_tokens.weight"), HasSubstr("unexpected:")));
  put(folder / "x.txt", "");
  EXPECT_THAT(refusal([&] { open_model(folder / "x.txt"); }), HasSubstr("a model is a folder"));
}

TEST(ModelFolders, ThatCannotBeMadeAreSaid) {
  const TemporaryFolder folder;
  put(folder / "file", "");
  EXPECT_THAT(thrown_by<FileError>([&] {
                save_model(small_llama(), drawn(small_llama(), Head::kLanguage), folder / "file/m");
              }),
              HasSubstr("cannot make the folder"));
}

}  // namespace
}  // namespace rgu::llm
