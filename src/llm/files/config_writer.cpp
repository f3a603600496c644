#include "rgu/llm/files/model_config.hpp"
#include "rgu/llm/files/output_folder.hpp"

namespace rgu::llm {
namespace {

using nlohmann::json;

const char* name_of(Activation activation) {
  switch (activation) {
    case Activation::kGelu:
      return "gelu";
    case Activation::kGeluTanh:
      return "gelu_new";
    case Activation::kSilu:
      break;
  }
  return "silu";
}

const char* name_of(ScoreType type) {
  switch (type) {
    case ScoreType::kReward:
      return "reward";
    case ScoreType::kCost:
      return "cost";
    case ScoreType::kCritic:
      break;
  }
  return "critic";
}

const char* class_of(const ModelConfig& config) {
  if (config.architecture == Architecture::kGptNeoX) {
    return config.score ? "GPTNeoXForScore" : "GPTNeoXForCausalLM";
  }
  return config.score ? "LlamaForScore" : "LlamaForCausalLM";
}

json common_keys(const ModelConfig& config) {
  return {{"architectures", {class_of(config)}},
          {"vocab_size", config.vocabulary},
          {"hidden_size", config.hidden},
          {"num_hidden_layers", config.layers},
          {"num_attention_heads", config.heads},
          {"intermediate_size", config.intermediate},
          {"max_position_embeddings", config.max_positions},
          {"hidden_act", name_of(config.activation)},
          {"initializer_range", config.initializer_range},
          {"tie_word_embeddings", config.tied_embeddings},
          {"bos_token_id", config.bos},
          {"eos_token_id", config.eos},
          {"torch_dtype", "float32"},
          {"use_cache", true}};
}

json gpt_neox_keys(const ModelConfig& config) {
  return {{"model_type", "gpt_neox"},
          {"rotary_pct", config.rotary_fraction},
          {"rotary_emb_base", config.rotary_base},
          {"layer_norm_eps", config.norm_epsilon},
          {"use_parallel_residual", config.parallel_residual},
          {"attention_bias", true},
          {"attention_dropout", 0.0},
          {"hidden_dropout", 0.0},
          {"classifier_dropout", 0.1}};
}

json llama_keys(const ModelConfig& config) {
  return {{"model_type", "llama"},
          {"num_key_value_heads", config.key_value_heads},
          {"rms_norm_eps", config.norm_epsilon},
          {"rope_theta", config.rotary_base},
          {"rope_scaling", nullptr},
          {"attention_bias", false},
          {"attention_dropout", 0.0}};
}

json score_keys(const ScoreConfig& score) {
  const auto dimension = static_cast<std::size_t>(score.dimension);
  return {{"score_dim", score.dimension},
          {"score_bias", score.bias},
          {"score_type", name_of(score.type)},
          {"do_normalize", score.normalize},
          {"normalizer_type", "ExponentialMovingAverage"},
          {"momentum", 0.9},
          {"mean", std::vector<double>(dimension, score.mean)},
          {"var", std::vector<double>(dimension, score.variance)}};
}

}  // namespace

json json_of(const ModelConfig& config) {
  json keys = common_keys(config);
  keys.update(config.architecture == Architecture::kGptNeoX ? gpt_neox_keys(config)
                                                            : llama_keys(config));
  if (config.pad) keys["pad_token_id"] = *config.pad;
  if (config.score) keys.update(score_keys(*config.score));
  return keys;
}

void write_model_config(const ModelConfig& config, const std::filesystem::path& path) {
  write_whole(std::filesystem::is_directory(path) ? path / "config.json" : path,
              json_of(config).dump(2) + "\n");
}

}  // namespace rgu::llm
