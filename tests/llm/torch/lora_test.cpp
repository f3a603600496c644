#include <ATen/CPUGeneratorImpl.h>
#include <unistd.h>

#include <cmath>

#include "models.hpp"
#include "rgu/base/check.hpp"
#include "rgu/llm/torch/value_head.hpp"

namespace rgu::llm {
namespace {

std::vector<std::string> all_modules(const ModelConfig& config) {
  std::vector<std::string> names;
  for (const LinearModule& module : linear_modules(config)) names.push_back(module.name);
  return names;
}

at::Tensor logits_of(const Transformer& model, const at::Tensor& ids) {
  return model.logits(model.forward(ids));
}

TEST(Lora, AFreshAdapterChangesNothingAndHasTheSpreadOfItsRule) {
  const ModelConfig config = small_neox();
  Transformer model = small_model(config);
  const at::Tensor ids = random_ids(2, 6, config);
  const at::Tensor before = logits_of(model, ids);
  Rng rng(5);
  add_adapter(model, {.rank = 16}, rng);
  EXPECT_EQ(distance(logits_of(model, ids), before), 0);

  const std::vector<NamedTensor> parameters = trainable_parameters(model);
  ASSERT_EQ(parameters.size(), 4);  // two layers of query_key_value
  EXPECT_EQ(parameters[0].name, "gpt_neox.layers.0.attention.query_key_value.lora_A");
  EXPECT_EQ(parameters[1].name, "gpt_neox.layers.0.attention.query_key_value.lora_B");
  EXPECT_EQ(parameters[2].name, "gpt_neox.layers.1.attention.query_key_value.lora_A");
  EXPECT_EQ(parameters[0].tensor.sizes(), (std::vector<std::int64_t>{16, 24}));
  EXPECT_EQ(parameters[1].tensor.sizes(), (std::vector<std::int64_t>{72, 16}));
  // Uniform on +-1/sqrt(24): sd 1/sqrt(3 * 24); 384 draws, sd of the sample sd about 2.3 per cent.
  const double bound = 1 / std::sqrt(24.0);
  EXPECT_LE(parameters[0].tensor.abs().max().item<double>(), bound);
  EXPECT_GT(parameters[0].tensor.abs().max().item<double>(), 0.95 * bound);
  EXPECT_NEAR(parameters[0].tensor.std().item<double>(), bound / std::sqrt(3.0), 0.1 * bound);
  EXPECT_EQ(parameters[1].tensor.abs().max().item<double>(), 0);
}

TEST(Lora, SwitchedOffIsTheBaseModelAndComesBack) {
  for (const ModelConfig& config : small_models()) {
    Transformer model = small_model(config);
    const at::Tensor ids = random_ids(2, 6, config);
    const at::Tensor base = logits_of(model, ids);
    add_lively_adapter(model, {.target_modules = all_modules(config)});
    const at::Tensor adapted = logits_of(model, ids);
    EXPECT_GT(distance(adapted, base), 0.1);
    {
      const AdapterOff off(model);
      const AdapterOff again(model);
      EXPECT_EQ(distance(logits_of(model, ids), base), 0);
    }
    EXPECT_EQ(distance(logits_of(model, ids), adapted), 0);
  }
}

TEST(Lora, MergedComputesTheSameAndUnmergedGivesTheWeightsBack) {
  for (const ModelConfig& config : small_models()) {
    Transformer model = small_model(config);
    const at::Tensor ids = random_ids(2, 6, config);
    const at::Tensor base = logits_of(model, ids);
    add_lively_adapter(model, {.target_modules = all_modules(config)});
    const at::Tensor adapted = logits_of(model, ids);
    merge_adapter(model);
    EXPECT_LT(distance(logits_of(model, ids), adapted), 1e-4);
    EXPECT_NE(distance(logits_of(model, ids), adapted), 0);  // by another way
    EXPECT_THROW(merge_adapter(model), InvalidInput);
    {
      const AdapterOff off(model);
      EXPECT_EQ(distance(logits_of(model, ids), base), 0);
    }
    unmerge_adapter(model);
    EXPECT_EQ(distance(logits_of(model, ids), adapted), 0);
    EXPECT_THROW(unmerge_adapter(model), InvalidInput);
  }
}

TEST(Lora, WeightsOfTheModelAreTheMergedOnesAndViewsElsewhere) {
  for (const ModelConfig& config : small_models()) {
    Transformer model = small_model(config);
    const at::Tensor ids = random_ids(2, 6, config);
    add_lively_adapter(model);
    const Weights weights = weights_of(model);
    EXPECT_LT(distance(logits_of(Transformer(config, weights), ids), logits_of(model, ids)), 1e-4);
    std::size_t shared = 0;
    for (const NamedTensor& parameter : model.base_parameters()) {
      shared +=
          float_memory(weights.at(parameter.name)).data() == parameter.tensor.data_ptr<float>();
    }
    EXPECT_EQ(shared + adapter_parameters(model).size() / 2, model.base_parameters().size());

    const Weights by_files = merged(config, lively_weights(config), adapter_files(model));
    for (const auto& [name, view] : by_files.tensors) {
      const std::vector<float> expected = floats_of(view), present = floats_of(weights.at(name));
      ASSERT_EQ(expected.size(), present.size());
      for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(present[i], expected[i], 1e-6);
    }
    const AdapterOff off(model);
    EXPECT_EQ(
        distance(logits_of(Transformer(config, weights_of(model)), ids), logits_of(model, ids)), 0);
  }
}

// The derivatives of f in every entry of the parameters, by central differences.
template <class Function>
void expect_gradients(const std::vector<NamedTensor>& parameters, const Function& f) {
  f().backward();
  const at::NoGradGuard no_gradients;
  for (const NamedTensor& parameter : parameters) {
    const at::Tensor gradient = parameter.tensor.grad();
    ASSERT_TRUE(gradient.defined()) << parameter.name;
    double* values = parameter.tensor.data_ptr<double>();
    double greatest = 0;
    for (std::int64_t i = 0; i < parameter.tensor.numel(); ++i) {
      const double before = values[i], step = 1e-5;
      values[i] = before + step;
      const double above = f().template item<double>();
      values[i] = before - step;
      const double below = f().template item<double>();
      values[i] = before;
      const double expected = (above - below) / (2 * step);
      const double found = gradient.view(-1)[i].template item<double>();
      ASSERT_NEAR(found, expected, 1e-7 * (1 + std::abs(expected))) << parameter.name << " " << i;
      greatest = std::max(greatest, std::abs(found));
    }
    EXPECT_GT(greatest, 1e-4) << parameter.name;  // it matters at all
  }
}

TEST(Lora, GradientsAreThoseOfFiniteDifferences) {
  for (ModelConfig config : small_models()) {
    config.vocabulary = 11;
    config.intermediate = 16;
    Transformer model = small_model(config, {.compute = DataType::kF64});
    add_lively_adapter(model, {.rank = 2, .alpha = 3, .target_modules = all_modules(config)});
    const at::Tensor ids = random_ids(2, 4, config);
    const at::Tensor mask = at::tensor({0, 1, 1, 1, 1, 1, 1, 1}, ids.options()).view({2, 4});
    expect_gradients(adapter_parameters(model), [&] {
      const at::Tensor hidden = model.forward(ids, {.mask = mask}).narrow(1, 1, 2);
      return at::log_softmax(model.logits(hidden), -1)
          .gather(2, ids.narrow(1, 2, 2).unsqueeze(2))
          .sum();
    });
    for (const NamedTensor& parameter : model.base_parameters()) {
      EXPECT_FALSE(parameter.tensor.grad().defined());
    }
  }
}

// In float32 on a CPU attention has a gradient of its own.
TEST(Lora, GradientsInFloat32AreThoseOfDoublePrecision) {
  for (const ModelConfig& config : small_models()) {
    const at::Tensor ids = random_ids(3, 9, config);
    at::Tensor mask = at::ones_like(ids);
    mask[1].narrow(0, 0, 4).zero_();
    for (const at::Tensor& given : {at::Tensor(), mask}) {
      const auto trained = [&](DataType type) {
        Transformer model = small_model(config, {.compute = type});
        add_lively_adapter(model, {.target_modules = all_modules(config)});
        const at::Tensor hidden = model.forward(ids, {.mask = given}).narrow(1, 4, 5);
        at::log_softmax(model.logits(hidden), -1).select(2, 5).mean().backward();
        return adapter_parameters(model);
      };
      const std::vector<NamedTensor> narrow = trained(DataType::kF32);
      const std::vector<NamedTensor> wide = trained(DataType::kF64);
      for (std::size_t i = 0; i < wide.size(); ++i) {
        const double scale = wide[i].tensor.grad().abs().max().item<double>();
        EXPECT_LT(distance(narrow[i].tensor.grad(), wide[i].tensor.grad()), 1e-4 * scale)
            << wide[i].name;
      }
    }
  }
}

TEST(Lora, GradientsWithDropoutAndOfATrainedScoreHeadAreThoseOfFiniteDifferences) {
  ModelConfig config = small_llama();
  config.score = ScoreConfig{};
  Transformer model = small_model(config, {.head = Head::kScore, .compute = DataType::kF64});
  add_lively_adapter(model, {.rank = 2, .dropout = 0.3, .modules_to_save = {"score_head"}});
  const at::Tensor ids = random_ids(2, 4, config);
  const std::vector<NamedTensor> parameters = trainable_parameters(model);
  EXPECT_EQ(parameters.back().name, "score_head.bias");
  expect_gradients(parameters, [&] {
    const at::Tensor scores = model.score(model.forward(ids, {.dropout_seed = 11}));
    return end_scores(scores, at::ones_like(ids)).square().sum();
  });
}

TEST(Lora, BaseWeightsThatAreTrainedHaveTheGradientsOfFiniteDifferences) {
  ModelConfig config = small_neox();
  config.vocabulary = 7;
  config.hidden = 12;
  config.layers = 1;
  config.intermediate = 8;
  const Transformer model =
      small_model(config, {.compute = DataType::kF64, .base = BaseWeights::kTrained});
  const at::Tensor ids = at::arange(7, at::TensorOptions().dtype(at::kLong)).unsqueeze(0);
  const std::vector<NamedTensor> parameters = trainable_parameters(model);
  EXPECT_EQ(parameters.size(), parameters_of(config, Head::kLanguage).size());
  expect_gradients(parameters,
                   [&] { return at::log_softmax(logits_of(model, ids), -1).select(2, 3).sum(); });
}

TEST(Lora, DropoutIsAFunctionOfItsSeedAndOnAverageNothing) {
  const ModelConfig config = small_neox();
  Transformer model = small_model(config);
  add_lively_adapter(model, {.dropout = 0.5});
  const at::Tensor ids = random_ids(2, 6, config);
  const auto hidden = [&](std::uint64_t seed) {
    return model.forward(ids, {.dropout_seed = seed});
  };
  EXPECT_EQ(distance(hidden(1), hidden(1)), 0);
  EXPECT_GT(distance(hidden(1), hidden(2)), 1e-3);
  EXPECT_GT(distance(hidden(1), model.forward(ids)), 1e-3);
  {
    const AdapterOff off(model);
    EXPECT_EQ(distance(hidden(1), model.forward(ids)), 0);
  }
  // E[dropout(x)] = x: 40,000 draws of mean 1 and sd 1.
  at::Generator generator = at::detail::createCPUGenerator(3);
  EXPECT_NEAR(dropped_out(at::ones({200, 200}), 0.5, generator).mean().item<double>(), 1,
              4.0 / 200);
}

struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("rgu_llm_torch_test_" + std::to_string(::getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
};

TEST(Lora, SavedAndLoadedThroughFilesIsTheSameToTheLastBit) {
  const Folder folder;
  ModelConfig config = small_llama();
  config.score = ScoreConfig{};
  const TransformerOptions options = {.head = Head::kScore};
  Transformer model = small_model(config, options);
  add_lively_adapter(model, {.rank = 3, .alpha = 5, .modules_to_save = {"score_head"}});
  save_adapter(adapter_files(model), folder.path);

  Transformer other = small_model(config, options);
  load_adapter(other, open_adapter(folder.path));
  const std::vector<NamedTensor> saved = adapter_parameters(model);
  const std::vector<NamedTensor> loaded = adapter_parameters(other);
  ASSERT_EQ(saved.size(), loaded.size());
  for (std::size_t i = 0; i < saved.size(); ++i) {
    EXPECT_EQ(saved[i].name, loaded[i].name);
    EXPECT_TRUE(at::equal(saved[i].tensor, loaded[i].tensor)) << saved[i].name;
    EXPECT_TRUE(loaded[i].tensor.requires_grad());
  }
  const at::Tensor ids = random_ids(2, 6, config);
  EXPECT_EQ(distance(model.score(model.forward(ids)), other.score(other.forward(ids))), 0);
  EXPECT_EQ(other.adapter()->config.scaling(), 5.0 / 3);
}

TEST(Lora, RefusesWhatDoesNotFitAndLeavesTheModelAsItWas) {
  const ModelConfig config = small_neox();
  Transformer model = small_model(config);
  Rng rng(1);
  EXPECT_THROW(add_adapter(model, {.rank = 0}, rng), InvalidInput);
  EXPECT_THROW(add_adapter(model, {.dropout = 1}, rng), InvalidInput);
  EXPECT_THROW(add_adapter(model, {.target_modules = {"q_proj"}}, rng), InvalidInput);
  EXPECT_THROW(add_adapter(model, {.modules_to_save = {"score_head"}}, rng), InvalidInput);
  EXPECT_THROW(adapter_files(model), InvalidInput);
  EXPECT_THROW(merge_adapter(model), InvalidInput);
  EXPECT_TRUE(trainable_parameters(model).empty());
  add_adapter(model, {.rank = 2}, rng);
  EXPECT_THROW(add_adapter(model, {}, rng), InvalidInput);
  Transformer other = small_model(config);
  AdapterFiles files = adapter_files(model);
  files.config.rank = 3;
  EXPECT_THROW(load_adapter(other, files), InvalidInput);
  EXPECT_TRUE(trainable_parameters(other).empty());
}

TEST(Lora, OfASixteenBitModelIsFloat32) {
  const ModelConfig config = small_neox();
  Transformer model = small_model(config, {.compute = DataType::kBF16});
  Transformer wide = small_model(config);
  add_lively_adapter(model);
  add_lively_adapter(wide);
  for (const NamedTensor& parameter : adapter_parameters(model)) {
    EXPECT_EQ(parameter.tensor.scalar_type(), at::kFloat);
  }
  merge_adapter(model);
  merge_adapter(wide);
  const Weights narrow = weights_of(model);
  for (const auto& [name, view] : weights_of(wide).tensors) {
    EXPECT_EQ(narrow.at(name).type, DataType::kBF16);
    const std::vector<float> a = floats_of(view), b = floats_of(narrow.at(name));
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 0.01 * (1 + std::abs(a[i])));
  }
}

TEST(ValueHead, IsALinearMapWithItsOwnStart) {
  Rng rng(4);
  const ValueHead head(64, {}, rng);
  const at::Tensor hidden = at::randn({2, 3, 64});
  const std::vector<NamedTensor> parameters = head.parameters();
  EXPECT_EQ(parameters[0].name, "v_head.summary.weight");
  EXPECT_EQ(parameters[1].name, "v_head.summary.bias");
  const at::Tensor values = head.values(hidden);
  EXPECT_EQ(values.sizes(), (std::vector<std::int64_t>{2, 3}));
  EXPECT_LT(distance(values, (hidden * parameters[0].tensor).sum(-1) + parameters[1].tensor), 1e-5);
  EXPECT_LE(parameters[0].tensor.abs().max().item<double>(), 0.125);
  EXPECT_GT(parameters[0].tensor.abs().max().item<double>(), 0.1);
  EXPECT_EQ(distance(head.values(hidden, 1), head.values(hidden, 1)), 0);
  EXPECT_GT(distance(head.values(hidden, 1), values), 1e-3);

  const ValueHead stored(64, {}, head.weights());
  EXPECT_EQ(distance(stored.values(hidden), values), 0);
  const ValueHead zero(64, {.start = ValueHeadOptions::Start::kZero}, rng);
  EXPECT_EQ(zero.values(hidden).abs().max().item<double>(), 0);
  const ValueHead normal(4096, {.start = ValueHeadOptions::Start::kNormal}, rng);
  EXPECT_NEAR(normal.parameters()[0].tensor.std().item<double>(), 0.2, 0.2 * 4 / 90);
  EXPECT_EQ(normal.parameters()[1].tensor.item<float>(), 0);
  EXPECT_THROW(ValueHead(32, {}, head.weights()), InvalidInput);
  EXPECT_THROW(ValueHead(32, {.dropout = 1}, rng), InvalidInput);
}

}  // namespace
}  // namespace rgu::llm
