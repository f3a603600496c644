#include <sys/wait.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "llm/files/file_testing.hpp"
#include "rgu/llm/files/model_files.hpp"
#include "rgu/llm/files/parameters.hpp"
#include "rgu/llm/files/safetensors.hpp"

namespace rgu::llm {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// Multiples of 1/8 from -3/4 to 3/4, exact in every type; read_adapter.py expects these.
std::vector<float> pattern(std::int64_t count, std::size_t tensor) {
  std::vector<float> values;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    values.push_back((static_cast<float>((7 * i + 3 * tensor) % 13) - 6) / 8);
  }
  return values;
}

AdapterFiles small_adapter(const ModelConfig& config, std::vector<std::string> targets) {
  AdapterFiles adapter{.config = {.rank = 3, .alpha = 6, .target_modules = std::move(targets)},
                       .weights = {}};
  std::size_t tensor = 0;
  for (const LinearModule& module : adapted_modules(config, adapter.config.target_modules)) {
    adapter.weights.put(module.name + ".lora_A", pattern(3 * module.in, tensor), {3, module.in});
    adapter.weights.put(module.name + ".lora_B", pattern(3 * module.out, tensor + 1),
                        {module.out, 3});
    tensor += 2;
  }
  return adapter;
}

AdapterFiles with_score_head(AdapterFiles adapter) {
  adapter.config.modules_to_save = {"score_head"};
  adapter.weights.put("score_head.weight", pattern(16, 100), {1, 16});
  adapter.weights.put("score_head.bias", {0.5f}, {1});
  return adapter;
}

void expect_equal(const AdapterFiles& read, const AdapterFiles& expected) {
  EXPECT_EQ(read.config.rank, expected.config.rank);
  EXPECT_EQ(read.config.alpha, expected.config.alpha);
  EXPECT_EQ(read.config.dropout, expected.config.dropout);
  EXPECT_EQ(read.config.target_modules, expected.config.target_modules);
  EXPECT_EQ(read.config.modules_to_save, expected.config.modules_to_save);
  EXPECT_EQ(read.config.base_model, expected.config.base_model);
  EXPECT_EQ(read.config.task, expected.config.task);
  ASSERT_EQ(read.weights.tensors.size(), expected.weights.tensors.size());
  for (const auto& [name, tensor] : expected.weights.tensors) {
    EXPECT_EQ(read.weights.at(name).shape, tensor.shape) << name;
    EXPECT_EQ(floats_of(read.weights.at(name)), floats_of(tensor)) << name;
  }
}

TEST(Adapters, AreReadBackWhole) {
  const TemporaryFolder folder;
  AdapterFiles adapter = with_score_head(small_adapter(small_llama(), {"q_proj", "down_proj"}));
  adapter.config.alpha = 6.5;
  adapter.config.dropout = 0.05;
  adapter.config.base_model = "some/model";
  save_adapter(adapter, folder / "adapter");
  expect_equal(open_adapter(folder / "adapter"), adapter);
  adapter.config.task = "";
  save_adapter(adapter, folder / "adapter");
  expect_equal(open_adapter(folder / "adapter"), adapter);
}

TEST(Adapters, MayBearTheNameOfTheAdapterInTheirKeys) {
  const TemporaryFolder folder;
  const AdapterFiles adapter =
      with_score_head(small_adapter(small_gpt_neox(), {"query_key_value"}));
  save_adapter(adapter, folder.path());
  Weights stored;
  for (const auto& [name, tensor] : adapter.weights.tensors) {
    const std::size_t dot = name.rfind('.');
    const bool factor = name.find("lora_") != name.npos;
    const std::string key =
        factor ? name + ".default.weight"
               : name.substr(0, dot) + ".modules_to_save.default" + name.substr(dot);
    stored.tensors["base_model.model." + key] = tensor;
  }
  write_safetensors(folder / "adapter_model.safetensors", stored);
  expect_equal(open_adapter(folder.path()), adapter);
  stored.tensors["base_model.model.score_head.weight"] = adapter.weights.at("score_head.weight");
  write_safetensors(folder / "adapter_model.safetensors", stored);
  EXPECT_THAT(refusal([&] { open_adapter(folder.path()); }), HasSubstr("there twice"));
}

TEST(Adapters, FromElsewhereAreUnderstood) {
  const AdapterConfig config{.rank = 4, .alpha = 8, .target_modules = {"query_key_value"}};
  const AdapterFiles adapter = adapter_from(
      config, read_safetensors(std::string(RGU_REFERENCE_DIR) + "/llm/tiny_neox_lora.safetensors"),
      "tiny");
  EXPECT_EQ(adapter.weights.tensors.size(), 6u);
  EXPECT_EQ(adapter.weights.at("gpt_neox.layers.2.attention.query_key_value.lora_B").shape,
            (TensorShape{192, 4}));
  EXPECT_EQ(adapter.config.scaling(), 2);
}

// An independent reader: struct, json and NumPy.
TEST(Adapters, AreReadByPython) {
  const TemporaryFolder folder;
  AdapterFiles adapter =
      with_score_head(small_adapter(small_gpt_neox(), {"query_key_value", "dense"}));
  adapter.config.base_model = "some/model";
  save_adapter(adapter, folder.path());
  const std::string command =
      fmt::format("'{}' -B '{}' '{}'", RGU_PYTHON, RGU_READ_ADAPTER, folder.path().string());
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127) {
    GTEST_SKIP() << RGU_PYTHON << " is not there or has no NumPy";
  }
  EXPECT_EQ(WEXITSTATUS(status), 0) << command;
}

class AdapterConfigs : public testing::Test {
 protected:
  static json keys() {
    return {{"peft_type", "LORA"},
            {"r", 4},
            {"lora_alpha", 8},
            {"target_modules", {"query_key_value"}}};
  }
  static std::string refused(const char* key, const json& value) {
    json changed = keys();
    changed[key] = value;
    return refusal([&] { adapter_config_from(changed, "adapter_config.json"); });
  }
};

TEST_F(AdapterConfigs, TakeWhatDoesNotChangeTheNumbers) {
  json more = keys();
  more.update({{"use_rslora", false},
               {"use_dora", false},
               {"rank_pattern", json::object()},
               {"alpha_pattern", nullptr},
               {"layers_to_transform", nullptr},
               {"megatron_config", nullptr},
               {"loftq_config", json::object()},
               {"init_lora_weights", "gaussian"},
               {"bias", "none"},
               {"something_new", 5}});
  const AdapterConfig config = adapter_config_from(more, "x");
  EXPECT_EQ(config.rank, 4);
  EXPECT_EQ(config.scaling(), 2);
  EXPECT_THAT(config.target_modules, ElementsAre("query_key_value"));
  EXPECT_EQ(config.task, "");
}

TEST_F(AdapterConfigs, ThatWouldChangeTheNumbersAreRefusedByName) {
  EXPECT_THAT(
      refused("use_rslora", true),
      AllOf(HasSubstr("adapter_config.json: use_rslora is true"), HasSubstr("not supported")));
  EXPECT_THAT(refused("use_dora", true), HasSubstr("use_dora is true"));
  EXPECT_THAT(refused("bias", "all"), HasSubstr("bias is \"all\""));
  EXPECT_THAT(refused("rank_pattern", {{"q", 2}}), HasSubstr("rank_pattern is {\"q\":2}"));
  EXPECT_THAT(refused("alpha_pattern", {{"q", 2}}), HasSubstr("alpha_pattern"));
  EXPECT_THAT(refused("layers_to_transform", {0}), HasSubstr("layers_to_transform"));
  EXPECT_THAT(refused("fan_in_fan_out", true), HasSubstr("fan_in_fan_out"));
  EXPECT_THAT(refused("init_lora_weights", "pissa_niter_4"), HasSubstr("pissa_niter_4"));
  EXPECT_THAT(refused("peft_type", "IA3"), HasSubstr("peft_type is \"IA3\""));
  EXPECT_THAT(refused("target_modules", "all-linear"), HasSubstr("must be a list of names"));
  EXPECT_THAT(refused("target_modules", json::array()), HasSubstr("at least one"));
  EXPECT_THAT(refused("modules_to_save", {1}), HasSubstr("modules_to_save"));
  EXPECT_THAT(refused("r", 0), HasSubstr("r is 0"));
  EXPECT_THAT(refused("r", -1), HasSubstr("r is -1"));
  EXPECT_THAT(refused("r", 1e9), HasSubstr("r is"));
  EXPECT_THAT(refused("lora_alpha", "8"), HasSubstr("lora_alpha"));
  EXPECT_THAT(refused("lora_dropout", 1), HasSubstr("lora_dropout is 1"));
  EXPECT_THAT(refused("task_type", 1), HasSubstr("task_type"));
}

TEST(AdapterTensors, ThatDoNotFitTheConfigurationAreRefused) {
  const AdapterConfig config{.rank = 1, .alpha = 1, .target_modules = {"dense"}};
  const auto refused = [&](const std::string& key, TensorShape shape) {
    Weights stored;
    stored.put("base_model.model.m.dense.lora_A.weight", {1, 2}, {1, 2});
    stored.put("base_model.model.m.dense.lora_B.weight", {1, 2}, {2, 1});
    const std::int64_t count = element_count(shape);
    stored.put(key, std::vector<float>(static_cast<std::size_t>(count)), std::move(shape));
    return refusal([&] { adapter_from(config, stored, "file"); });
  };
  EXPECT_THAT(refused("model.dense.lora_A.weight", {1, 2}),
              HasSubstr("begins with base_model.model."));
  EXPECT_THAT(refused("base_model.model.m.other.lora_A.weight", {1, 2}),
              HasSubstr("none of target_modules"));
  EXPECT_THAT(refused("base_model.model.score_head.weight", {1, 2}), HasSubstr("modules_to_save"));
  EXPECT_THAT(refused("base_model.model.n.dense.lora_A.weight", {1, 2}),
              HasSubstr("but not 'n.dense.lora_B'"));
  EXPECT_THAT(refused("base_model.model.m.dense.lora_A.weight", {2, 1}), HasSubstr("(rank, in)"));
  EXPECT_THAT(refused("base_model.model.m.dense.lora_B.weight", {2}), HasSubstr("(out, rank)"));
  EXPECT_THAT(refusal([&] { adapter_from(config, {}, "file"); }), HasSubstr("holds no lora_A"));
}

TEST(AdaptedModules, AreThoseWhosePathsEndInATarget) {
  const ModelConfig config = small_gpt_neox();
  EXPECT_EQ(linear_modules(config).size(), 8u);
  const auto dense = adapted_modules(config, {"dense"});
  ASSERT_EQ(dense.size(), 2u);
  EXPECT_EQ(dense[1].name, "gpt_neox.layers.1.attention.dense");
  const auto one = adapted_modules(config, {"layers.1.mlp.dense_4h_to_h"});
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].out, 16);
  EXPECT_EQ(one[0].in, 24);
  const auto grouped = adapted_modules(small_llama(), {"k_proj"});
  EXPECT_EQ(grouped[0].out, 8);
  for (const ModelConfig& each : {small_gpt_neox(), small_llama()}) {
    EXPECT_FALSE(adapted_modules(each, default_targets(each.architecture)).empty());
  }
  EXPECT_THAT(
      refusal([&] {
        adapted_modules(config, {"dense", "q_proj"});
      }),
      AllOf(HasSubstr("'q_proj' is not in the model"), HasSubstr("query_key_value, dense,")));
}

TEST(AdaptedModules, OfPythia70mHaveTheKnownNumberOfTrainableParameters) {
  std::int64_t count = 0;
  for (const LinearModule& module : adapted_modules(pythia("70m"), {"query_key_value"})) {
    count += 8 * (module.in + module.out);
  }
  EXPECT_EQ(count, 98'304);
}

class Merging : public testing::TestWithParam<Architecture> {
 protected:
  Merging() : config_(GetParam() == Architecture::kGptNeoX ? small_gpt_neox() : small_llama()) {
    Rng rng(5);
    base_ = random_weights(config_, Head::kLanguage, rng);
    targets_ = default_targets(GetParam());
    targets_.push_back(GetParam() == Architecture::kGptNeoX ? "dense_4h_to_h" : "gate_proj");
  }
  ModelConfig config_;
  Weights base_;
  std::vector<std::string> targets_;
};

TEST_P(Merging, AddsTheScaledProductElementByElement) {
  const AdapterFiles adapter = small_adapter(config_, targets_);
  const Weights result = merged(config_, base_, adapter);
  ASSERT_EQ(result.tensors.size(), base_.tensors.size());
  std::size_t changed = 0;
  for (const LinearModule& module : adapted_modules(config_, targets_)) {
    const std::vector<float> before = floats_of(base_.at(module.name + ".weight"));
    const std::vector<float> after = floats_of(result.at(module.name + ".weight"));
    const std::vector<float> a = floats_of(adapter.weights.at(module.name + ".lora_A"));
    const std::vector<float> b = floats_of(adapter.weights.at(module.name + ".lora_B"));
    const auto in = static_cast<std::size_t>(module.in);
    for (std::size_t i = 0; i < after.size(); ++i) {
      double expected = static_cast<double>(before[i]);
      for (std::size_t k = 0; k < 3; ++k) {
        expected +=
            2 * static_cast<double>(b[i / in * 3 + k]) * static_cast<double>(a[k * in + i % in]);
      }
      ASSERT_NEAR(static_cast<double>(after[i]), expected, 1e-6) << module.name << " " << i;
    }
    ++changed;
  }
  std::size_t same = 0;
  for (const auto& [name, tensor] : result.tensors)
    same += tensor.bytes.data() == base_.at(name).bytes.data() ? 1u : 0u;
  EXPECT_EQ(same + changed, base_.tensors.size());
}

TEST_P(Merging, AndTakingOutAgainGivesTheBaseBack) {
  const AdapterFiles adapter = small_adapter(config_, targets_);
  const Weights back =
      merged(config_, merged(config_, base_, adapter), adapter, MergeSign::kSubtract);
  for (const auto& [name, tensor] : base_.tensors) {
    const std::vector<float> before = floats_of(tensor);
    const std::vector<float> after = floats_of(back.at(name));
    for (std::size_t i = 0; i < before.size(); ++i) ASSERT_NEAR(after[i], before[i], 1e-6) << name;
  }
}

TEST_P(Merging, PutsTheModulesThatWereSaved) {
  const AdapterFiles adapter = with_score_head(small_adapter(config_, targets_));
  Weights result = merged(config_, base_, adapter);
  EXPECT_EQ(floats_of(result.at("score_head.bias")), std::vector<float>{0.5f});
  result.put("score_head.bias", {1, 2}, {2});
  EXPECT_THAT(refusal([&] { merged(config_, result, adapter); }),
              HasSubstr("'score_head.bias' has shape [1], must have [2]"));
}

TEST_P(Merging, OfAnAdapterThatDoesNotFitIsRefused) {
  AdapterFiles adapter = small_adapter(config_, targets_);
  const std::string module = adapted_modules(config_, targets_)[0].name;
  AdapterFiles narrow = adapter;
  narrow.weights.put(module + ".lora_A", std::vector<float>(3), {3, 1});
  EXPECT_THAT(refusal([&] { merged(config_, base_, narrow); }), HasSubstr("has shape [3, 1]"));
  AdapterFiles missing = adapter;
  missing.weights.tensors.erase(module + ".lora_B");
  EXPECT_THAT(refusal([&] { merged(config_, base_, missing); }), HasSubstr("no tensor"));
  ModelConfig shallow = config_;
  shallow.layers = 1;
  EXPECT_THAT(refusal([&] { merged(shallow, base_, adapter); }), HasSubstr("layers.1."));
}

INSTANTIATE_TEST_SUITE_P(Adapters, Merging,
                         testing::Values(Architecture::kGptNeoX, Architecture::kLlama),
                         [](const auto& each) {
                           return each.param == Architecture::kGptNeoX ? "GptNeoX" : "Llama";
                         });

}  // namespace
}  // namespace rgu::llm
