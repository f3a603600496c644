// From the weights of a file to a model.
#include <ATen/ATen.h>

#include <cmath>
#include <map>

#include "rgu/base/check.hpp"
#include "rgu/llm/torch/tensors.hpp"
#include "rgu/llm/torch/transformer.hpp"

namespace rgu::llm {
namespace {

struct Names {
  std::string embedding;
  std::string layers;
  std::string final_norm;
  std::string attention_norm;
  std::string mlp_norm;
  std::vector<std::string> inputs;
  std::string output;
  std::vector<std::string> mlp;
  std::string head;
};

const Names& names_of(Architecture architecture) {
  static const Names neox = {
      .embedding = "gpt_neox.embed_in",
      .layers = "gpt_neox.layers",
      .final_norm = "gpt_neox.final_layer_norm",
      .attention_norm = "input_layernorm",
      .mlp_norm = "post_attention_layernorm",
      .inputs = {"attention.query_key_value"},
      .output = "attention.dense",
      .mlp = {"mlp.dense_h_to_4h", "mlp.dense_4h_to_h"},
      .head = "embed_out",
  };
  static const Names llama = {
      .embedding = "model.embed_tokens",
      .layers = "model.layers",
      .final_norm = "model.norm",
      .attention_norm = "input_layernorm",
      .mlp_norm = "post_attention_layernorm",
      .inputs = {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"},
      .output = "self_attn.o_proj",
      .mlp = {"mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"},
      .head = "lm_head",
  };
  return architecture == Architecture::kGptNeoX ? neox : llama;
}

void check_compute_type(DataType type) {
  const bool known = type == DataType::kF64 || type == DataType::kF32 || type == DataType::kF16 ||
                     type == DataType::kBF16;
  check(known, "a model cannot be computed in {}; it can in F64, F32, F16 and BF16", name_of(type));
}

}  // namespace

Transformer::Transformer(const ModelConfig& config, const Weights& weights,
                         const TransformerOptions& options)
    : config_(config), options_(options) {
  check_config(config, "the model");
  check_weights(config, options.head, weights, "the model");
  static_cast<void>(device_named(options.device));
  const Names& names = names_of(config.architecture);
  if (!options_.compute) options_.compute = weights.at(names.embedding + ".weight").type;
  check_compute_type(*options_.compute);

  embedding_ = loaded(weights, names.embedding + ".weight");
  for (std::int64_t i = 0; i < config.layers; ++i) layers_.push_back(loaded_layer(weights, i));
  final_norm_ = loaded_norm(weights, names.final_norm);
  load_head(weights);
  load_normaliser(weights);
  rotation_ = rotation_table(config, embedding_.options().requires_grad(false));
}

at::Tensor Transformer::loaded(const Weights& weights, const std::string& name) const {
  const at::Tensor stored = tensor_of(weights.at(name), weights.owners);
  const at::Tensor tensor =
      stored.to(at::Device(options_.device), scalar_type_of(*options_.compute));
  if (options_.base == BaseWeights::kFrozen) return tensor;
  return (tensor.is_same(stored) ? tensor.clone() : tensor).requires_grad_();
}

Transformer::Norm Transformer::loaded_norm(const Weights& weights, const std::string& name) const {
  const bool has_bias = config_.architecture == Architecture::kGptNeoX;
  return {.name = name,
          .weight = loaded(weights, name + ".weight"),
          .bias = has_bias ? loaded(weights, name + ".bias") : at::Tensor()};
}

Linear Transformer::loaded_linear(const Weights& weights, const std::string& name) const {
  const bool has_bias = config_.architecture == Architecture::kGptNeoX;
  return {.name = name,
          .weight = loaded(weights, name + ".weight"),
          .bias = has_bias ? loaded(weights, name + ".bias") : at::Tensor()};
}

Transformer::Layer Transformer::loaded_layer(const Weights& weights, std::int64_t number) const {
  const Names& names = names_of(config_.architecture);
  const std::string prefix = fmt::format("{}.{}.", names.layers, number);
  Layer layer = {.attention_norm = loaded_norm(weights, prefix + names.attention_norm),
                 .mlp_norm = loaded_norm(weights, prefix + names.mlp_norm),
                 .inputs = {},
                 .output = loaded_linear(weights, prefix + names.output),
                 .mlp = {}};
  for (const std::string& name : names.inputs) {
    layer.inputs.push_back(loaded_linear(weights, prefix + name));
  }
  for (const std::string& name : names.mlp) {
    layer.mlp.push_back(loaded_linear(weights, prefix + name));
  }
  return layer;
}

void Transformer::load_head(const Weights& weights) {
  if (options_.head == Head::kLanguage) {
    head_.name = names_of(config_.architecture).head;
    head_.weight = config_.tied_embeddings ? embedding_ : loaded(weights, head_.name + ".weight");
    return;
  }
  head_.name = "score_head";
  head_.weight = loaded(weights, "score_head.weight");
  const ScoreConfig score = config_.score.value_or(ScoreConfig{});
  if (score.bias && weights.contains("score_head.bias")) {
    head_.bias = loaded(weights, "score_head.bias");
  }
}

// The statistics of the checkpoint, where it has them, count more than those of its config.
void Transformer::load_normaliser(const Weights& weights) {
  const ScoreConfig score = config_.score.value_or(ScoreConfig{});
  if (options_.head != Head::kScore || !score.normalize || score.type == ScoreType::kCritic) return;
  const auto type = at::promote_types(scalar_type_of(*options_.compute), at::kFloat);
  const auto statistic = [&](const std::string& name, double otherwise) {
    if (!weights.contains(name)) {
      return at::full({1}, otherwise, embedding_.options().dtype(type).requires_grad(false));
    }
    const at::Tensor stored = tensor_of(weights.at(name), weights.owners);
    check(stored.numel() == 1 || stored.numel() == score.dimension,
          "tensor \"{}\" has {} values, must have {} (score_dim)", name, stored.numel(),
          score.dimension);
    return stored.reshape({-1}).to(embedding_.device(), type);
  };
  const at::Tensor mean = statistic("normalizer.mean", score.mean);
  score_mean_ = score.type == ScoreType::kReward ? mean : at::zeros_like(mean);
  score_deviation_ = statistic("normalizer.var", score.variance).sqrt() + 1e-8;
}

std::vector<Linear*> Transformer::linears() {
  std::vector<Linear*> all;
  for (Layer& layer : layers_) {
    for (Linear& linear : layer.inputs) all.push_back(&linear);
    all.push_back(&layer.output);
    for (Linear& linear : layer.mlp) all.push_back(&linear);
  }
  all.push_back(&head_);
  return all;
}

std::vector<const Linear*> Transformer::linears() const {
  const std::vector<Linear*> all = const_cast<Transformer*>(this)->linears();
  return {all.begin(), all.end()};
}

std::vector<NamedTensor> Transformer::base_parameters() const {
  std::map<std::string, at::Tensor> tensors;
  const auto put = [&](const auto& module) {
    tensors[module.name + ".weight"] = module.weight;
    if (module.bias.defined()) tensors[module.name + ".bias"] = module.bias;
  };
  tensors[names_of(config_.architecture).embedding + ".weight"] = embedding_;
  for (const Layer& layer : layers_) {
    put(layer.attention_norm);
    put(layer.mlp_norm);
  }
  put(final_norm_);
  for (const Linear* linear : linears()) put(*linear);

  std::vector<NamedTensor> ordered;
  for (const Parameter& parameter : parameters_of(config_, options_.head)) {
    const auto found = tensors.find(parameter.name);
    if (found != tensors.end()) ordered.push_back({found->first, found->second});
  }
  return ordered;
}

}  // namespace rgu::llm
