#include "llm/decode/small_models.hpp"

#include "rgu/base/check.hpp"

namespace rgu::llm {

ModelConfig small_neox() {
  ModelConfig config;
  config.vocabulary = 75;
  config.hidden = 48;
  config.layers = 2;
  config.heads = 3;
  config.key_value_heads = 3;
  config.intermediate = 100;
  config.max_positions = 64;
  config.rotary_fraction = 0.25;
  return config;
}

ModelConfig small_llama() {
  ModelConfig config = small_neox();
  config.architecture = Architecture::kLlama;
  config.hidden = 40;
  config.heads = 4;
  config.key_value_heads = 2;
  config.intermediate = 52;
  config.activation = Activation::kSilu;
  config.rotary_fraction = 1;
  config.norm_epsilon = 1e-6;
  config.parallel_residual = false;
  config.vocabulary = 300;
  return config;
}

std::vector<SmallModel> small_models() {
  std::vector<SmallModel> models = {{"neox", small_neox()}, {"llama", small_llama()}};
  const auto with = [&](const std::string& name, const ModelConfig& from, auto change) {
    ModelConfig config = from;
    change(config);
    models.push_back({name, config});
  };
  with("sequential neox", small_neox(), [](ModelConfig& c) { c.parallel_residual = false; });
  with("neox by tanh", small_neox(), [](ModelConfig& c) { c.activation = Activation::kGeluTanh; });
  with("tied neox", small_neox(), [](ModelConfig& c) { c.tied_embeddings = true; });
  with("fully rotated neox", small_neox(), [](ModelConfig& c) { c.rotary_fraction = 1; });
  with("wide neox", small_neox(), [](ModelConfig& c) {
    c.hidden = 160;
    c.heads = 2;
    c.key_value_heads = 2;
    c.intermediate = 640;
    c.vocabulary = 1000;
    c.layers = 1;
  });
  with("llama with own keys", small_llama(), [](ModelConfig& c) { c.key_value_heads = 4; });
  with("llama with one key head", small_llama(), [](ModelConfig& c) { c.key_value_heads = 1; });
  with("tied llama", small_llama(), [](ModelConfig& c) { c.tied_embeddings = true; });
  return models;
}

Weights lively_weights(const ModelConfig& config, std::uint64_t seed) {
  Rng rng(seed);
  Weights weights;
  for (const Parameter& parameter : parameters_of(config, Head::kLanguage)) {
    std::vector<float> values(static_cast<std::size_t>(element_count(parameter.shape)));
    const double start = parameter.initial == Initial::kOnes ? 1 : 0;
    for (float& value : values) value = static_cast<float>(start + 0.25 * rng.normal());
    weights.put(parameter.name, std::move(values), parameter.shape);
  }
  return weights;
}

std::vector<TokenId> random_tokens(const ModelConfig& config, std::size_t size,
                                   std::uint64_t seed) {
  Rng rng(seed);
  std::vector<TokenId> tokens(size);
  for (TokenId& token : tokens)
    token = static_cast<TokenId>(rng.below(static_cast<std::uint64_t>(config.vocabulary)));
  return tokens;
}

Decoder one_thread(const ModelConfig& config, const Weights& weights) {
  return Decoder(config, weights, {.threads = 1, .instructions = {}});
}

}  // namespace rgu::llm
