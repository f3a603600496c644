// Small models, golden numbers and comparisons for the tests of this folder.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "rgu/base/rng.hpp"
#include "rgu/llm/files/model_files.hpp"
#include "rgu/llm/torch/lora.hpp"
#include "rgu/llm/torch/transformer.hpp"

namespace rgu::llm {

inline const std::filesystem::path kReference = std::filesystem::path(RGU_REFERENCE_DIR) / "llm";

inline nlohmann::json json_file(const std::filesystem::path& path) {
  return nlohmann::json::parse(std::ifstream(path));
}

// A list of lists (of lists ...) of numbers.
inline at::Tensor tensor_of_json(const nlohmann::json& json) {
  if (json.empty() || !json.front().is_array()) {
    return at::tensor(json.get<std::vector<double>>(), at::TensorOptions().dtype(at::kDouble));
  }
  std::vector<at::Tensor> rows;
  for (const nlohmann::json& row : json) rows.push_back(tensor_of_json(row));
  return at::stack(rows);
}

// One sequence, (1, T).
inline at::Tensor ids_of(const std::vector<std::int64_t>& ids) {
  return at::tensor(ids, at::TensorOptions().dtype(at::kLong)).unsqueeze(0);
}

inline double distance(const at::Tensor& a, const at::Tensor& b) {
  EXPECT_EQ(a.sizes(), b.sizes());
  const at::Tensor difference = a.detach().to(at::kDouble) - b.detach().to(at::kDouble);
  return difference.abs().max().item<double>();
}

// log softmax of the logits (T, V) at the tokens that follow, (T - 1).
inline at::Tensor token_log_probabilities(const at::Tensor& logits, const at::Tensor& ids) {
  const at::Tensor next = ids.view({-1, 1}).narrow(0, 1, ids.numel() - 1);
  return at::log_softmax(logits, -1).narrow(0, 0, ids.numel() - 1).gather(1, next).squeeze(1);
}

inline ModelConfig small_neox() {
  ModelConfig config;
  config.vocabulary = 29;
  config.hidden = 24;
  config.layers = 2;
  config.heads = 3;
  config.key_value_heads = 3;
  config.intermediate = 40;
  config.max_positions = 64;
  config.rotary_fraction = 0.5;
  config.initializer_range = 0.3;
  return config;
}

inline ModelConfig small_llama() {
  ModelConfig config = small_neox();
  config.architecture = Architecture::kLlama;
  config.hidden = 32;
  config.heads = 4;
  config.key_value_heads = 2;
  config.activation = Activation::kSilu;
  config.rotary_fraction = 1;
  config.norm_epsilon = 1e-6;
  config.bos = 1;
  config.eos = 2;
  return config;
}

inline std::vector<ModelConfig> small_models() {
  ModelConfig sequential = small_neox();
  sequential.parallel_residual = false;
  sequential.activation = Activation::kGeluTanh;
  ModelConfig tied = small_llama();
  tied.tied_embeddings = true;
  return {small_neox(), sequential, small_llama(), tied};
}

// Random, with biases and norms that are not at their start values.
inline Weights lively_weights(const ModelConfig& config, Head head = Head::kLanguage,
                              std::uint64_t seed = 1) {
  Rng rng(seed);
  Weights weights;
  for (const Parameter& parameter : parameters_of(config, head)) {
    std::vector<float> values(static_cast<std::size_t>(element_count(parameter.shape)));
    const double centre = parameter.initial == Initial::kOnes ? 1 : 0;
    for (float& value : values) value = static_cast<float>(centre + 0.3 * rng.normal());
    weights.put(parameter.name, std::move(values), parameter.shape);
  }
  return weights;
}

inline Transformer small_model(const ModelConfig& config, const TransformerOptions& options = {}) {
  return Transformer(config, lively_weights(config, options.head), options);
}

// An adapter whose B is not zero, so that it changes something.
inline void add_lively_adapter(Transformer& model, AdapterConfig config = {}) {
  Rng rng(7);
  add_adapter(model, config, rng);
  const at::NoGradGuard no_gradients;
  for (const NamedTensor& parameter : adapter_parameters(model)) {
    at::Tensor values = at::empty(parameter.tensor.sizes(), at::TensorOptions().dtype(at::kDouble));
    double* value = values.data_ptr<double>();
    for (std::int64_t i = 0; i < values.numel(); ++i) value[i] = 0.2 * rng.normal();
    at::Tensor(parameter.tensor).copy_(values);
  }
}

inline at::Tensor random_ids(std::int64_t rows, std::int64_t tokens, const ModelConfig& config) {
  Rng rng(3);
  at::Tensor ids = at::empty({rows, tokens}, at::TensorOptions().dtype(at::kLong));
  for (std::int64_t i = 0; i < ids.numel(); ++i) {
    ids.data_ptr<std::int64_t>()[i] =
        static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(config.vocabulary)));
  }
  return ids;
}

}  // namespace rgu::llm
