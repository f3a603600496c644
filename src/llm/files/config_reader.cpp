#include <array>
#include <cmath>

#include "rgu/base/check.hpp"
#include "rgu/llm/files/json_text.hpp"
#include "rgu/llm/files/model_config.hpp"

namespace rgu::llm {
namespace {

using nlohmann::json;

// The object of config.json. A key with the value null is one that is not there.
class Keys {
 public:
  Keys(const json& object, std::string_view where) : object_(object), where_(where) {}

  const json* find(const char* key) const {
    const auto found = object_.find(key);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }
  std::string_view where() const { return where_; }

  [[noreturn]] void refuse(const char* key, std::string_view rule) const {
    const json* value = find(key);
    throw InvalidInput(fmt::format("{}: {} is {}, must be {}", where_, key,
                                   value == nullptr ? "not there" : one_line(*value), rule));
  }

  std::int64_t integer(const char* key) const {
    const json* value = find(key);
    if (value == nullptr || !is_integer(*value)) refuse(key, "an integer");
    return value->get<std::int64_t>();
  }
  std::int64_t integer(const char* key, std::int64_t otherwise) const {
    return find(key) == nullptr ? otherwise : integer(key);
  }
  double number(const char* key, double otherwise) const {
    const json* value = find(key);
    if (value == nullptr) return otherwise;
    if (!value->is_number()) refuse(key, "a number");
    return value->get<double>();
  }
  bool truth(const char* key, bool otherwise) const {
    const json* value = find(key);
    if (value == nullptr) return otherwise;
    if (!value->is_boolean()) refuse(key, "true or false");
    return value->get<bool>();
  }
  std::string text(const char* key, const std::string& otherwise) const {
    const json* value = find(key);
    if (value == nullptr) return otherwise;
    if (!value->is_string()) refuse(key, "a string");
    return value->get<std::string>();
  }

  // An unsigned number beyond 2^63 is none.
  static bool is_integer(const json& value) {
    return value.is_number_integer() &&
           (!value.is_number_unsigned() || value.get<std::uint64_t>() <= std::uint64_t{INT64_MAX});
  }

 private:
  const json& object_;
  std::string_view where_;
};

Architecture architecture_of(const Keys& keys) {
  const std::string type = keys.text("model_type", "");
  if (type == "gpt_neox") return Architecture::kGptNeoX;
  if (type != "llama") keys.refuse("model_type", "\"gpt_neox\" or \"llama\"");
  return Architecture::kLlama;
}

Activation activation_of(const Keys& keys, const std::string& otherwise) {
  const std::string name = keys.text("hidden_act", otherwise);
  if (name == "gelu") return Activation::kGelu;
  if (name == "gelu_new" || name == "gelu_fast" || name == "gelu_pytorch_tanh")
    return Activation::kGeluTanh;
  if (name != "silu" && name != "swish") {
    keys.refuse("hidden_act", "gelu, gelu_new, gelu_fast, gelu_pytorch_tanh, silu or swish");
  }
  return Activation::kSilu;
}

// Positions that are scaled are another function; its absence, or the kind "default", is the plain
// one.
void refuse_scaling(const Keys& keys, const char* key) {
  const json* value = keys.find(key);
  if (value == nullptr) return;
  if (!value->is_object()) keys.refuse(key, "an object");
  for (const char* kind : {"rope_type", "type"}) {
    const auto found = value->find(kind);
    if (found != value->end() && *found != "default") keys.refuse(key, "of the type \"default\"");
  }
  if (!value->contains("rope_type") && !value->contains("type") && value->contains("factor")) {
    keys.refuse(key, "of the type \"default\"");
  }
}

// rotary_pct and rotary_emb_base are the old names, rope_parameters the newest place.
void read_rotary(const Keys& keys, ModelConfig& config) {
  refuse_scaling(keys, "rope_scaling");
  refuse_scaling(keys, "rope_parameters");
  config.rotary_fraction = keys.number("rotary_pct", config.rotary_fraction);
  config.rotary_fraction = keys.number("partial_rotary_factor", config.rotary_fraction);
  config.rotary_base = keys.number("rotary_emb_base", config.rotary_base);
  config.rotary_base = keys.number("rope_theta", config.rotary_base);
  if (const json* newest = keys.find("rope_parameters")) {
    const Keys inner(*newest, keys.where());
    config.rotary_fraction = inner.number("partial_rotary_factor", config.rotary_fraction);
    config.rotary_base = inner.number("rope_theta", config.rotary_base);
  }
}

// Some models end at any of several tokens: the first is the model's own.
std::int64_t eos_of(const Keys& keys, std::int64_t otherwise) {
  const json* value = keys.find("eos_token_id");
  if (value == nullptr || !value->is_array()) return keys.integer("eos_token_id", otherwise);
  if (value->empty() || !Keys::is_integer(value->front())) {
    keys.refuse("eos_token_id", "an integer or a list of integers");
  }
  return value->front().get<std::int64_t>();
}

void read_ids(const Keys& keys, ModelConfig& config) {
  const bool neox = config.architecture == Architecture::kGptNeoX;
  config.bos = keys.integer("bos_token_id", neox ? 0 : 1);
  config.eos = eos_of(keys, 2);
  // Early LLaMA configurations write -1 for none.
  const std::int64_t pad = keys.integer("pad_token_id", -1);
  if (pad != -1) config.pad = pad;
}

ScoreType score_type_of(const Keys& keys) {
  const std::string type = keys.text("score_type", "reward");
  if (type == "reward") return ScoreType::kReward;
  if (type == "cost") return ScoreType::kCost;
  if (type != "critic") keys.refuse("score_type", "reward, cost or critic");
  return ScoreType::kCritic;
}

// A number, or a list with one for each dimension of the score; ours is the same for all.
double statistic(const Keys& keys, const char* key, const ScoreConfig& score, double otherwise) {
  const json* value = keys.find(key);
  if (value == nullptr || value->is_number()) return keys.number(key, otherwise);
  const bool list = value->is_array() && !value->empty() &&
                    value->size() == static_cast<std::uint64_t>(score.dimension);
  if (!list) keys.refuse(key, "a number or a list of score_dim numbers");
  for (const json& entry : *value) {
    if (!entry.is_number() || entry != value->front()) keys.refuse(key, "a list of equal numbers");
  }
  return value->front().get<double>();
}

bool names_score_model(const Keys& keys) {
  const json* names = keys.find("architectures");
  if (names == nullptr || !names->is_array()) return false;
  for (const json& name : *names) {
    if (name == "LlamaForScore" || name == "LlamaModelForScore" || name == "GPTNeoXForScore" ||
        name == "GPTNeoXModelForScore") {
      return true;
    }
  }
  return false;
}

std::optional<ScoreConfig> score_of(const Keys& keys) {
  if (!names_score_model(keys) && keys.find("score_dim") == nullptr) return {};
  ScoreConfig score;
  score.dimension = keys.integer("score_dim", 1);
  score.bias = keys.truth("score_bias", true);
  score.type = score_type_of(keys);
  score.normalize = keys.truth("do_normalize", false);
  score.mean = statistic(keys, "mean", score, 0);
  score.variance = statistic(keys, "var", score, 1);
  return score;
}

ModelConfig shape_of(const Keys& keys) {
  ModelConfig config;
  config.architecture = architecture_of(keys);
  config.vocabulary = keys.integer("vocab_size");
  config.hidden = keys.integer("hidden_size");
  config.layers = keys.integer("num_hidden_layers");
  config.heads = keys.integer("num_attention_heads");
  config.key_value_heads = keys.integer("num_key_value_heads", config.heads);
  config.intermediate = keys.integer("intermediate_size");
  config.max_positions = keys.integer("max_position_embeddings", 2048);
  config.tied_embeddings = keys.truth("tie_word_embeddings", false);
  config.initializer_range = keys.number("initializer_range", 0.02);
  return config;
}

void read_gpt_neox(const Keys& keys, ModelConfig& config) {
  config.activation = activation_of(keys, "gelu");
  config.norm_epsilon = keys.number("layer_norm_eps", 1e-5);
  config.parallel_residual = keys.truth("use_parallel_residual", true);
  if (!keys.truth("attention_bias", true)) keys.refuse("attention_bias", "true in gpt_neox");
}

void read_llama(const Keys& keys, ModelConfig& config) {
  config.activation = activation_of(keys, "silu");
  config.norm_epsilon = keys.number("rms_norm_eps", 1e-6);
  config.rotary_fraction = 1;
  config.parallel_residual = false;
  for (const char* key : {"attention_bias", "mlp_bias"}) {
    if (keys.truth(key, false)) keys.refuse(key, "false in llama");
  }
}

// Newer configurations may give heads another size than hidden / heads, which ours have.
void check_head_size(const Keys& keys, const ModelConfig& config) {
  check(keys.integer("head_dim", config.head_size()) == config.head_size(),
        "{}: head_dim is {}, must be hidden_size / num_attention_heads, {}", keys.where(),
        keys.integer("head_dim", 0), config.head_size());
}

}  // namespace

ModelConfig model_config_from(const json& json, std::string_view where) {
  check(json.is_object(), "{}: must be a JSON object", where);
  const Keys keys(json, where);
  ModelConfig config = shape_of(keys);
  config.architecture == Architecture::kGptNeoX ? read_gpt_neox(keys, config)
                                                : read_llama(keys, config);
  read_rotary(keys, config);
  read_ids(keys, config);
  config.score = score_of(keys);
  check_config(config, where);
  check_head_size(keys, config);
  return config;
}

ModelConfig read_model_config(const std::filesystem::path& path) {
  const auto file = std::filesystem::is_directory(path) ? path / "config.json" : path;
  return model_config_from(read_json(file), file.string());
}

}  // namespace rgu::llm
