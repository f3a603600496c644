// The shape of a language model: what config.json says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace rgu::llm {

enum class Architecture { kGptNeoX, kLlama };
enum class Activation {
  kGelu,
  kGeluTanh,
  kSilu
};  // exact (erf) GELU, its tanh approximation, SiLU

enum class ScoreType { kReward, kCost, kCritic };

// What a score model has instead of (or beside) the output head [safe-rlhf]: a linear map of the
// last hidden state after the final norm, and a normaliser of its values.
struct ScoreConfig {
  std::int64_t dimension = 1;
  bool bias = true;
  ScoreType type = ScoreType::kReward;
  bool normalize = false;  // reward: (x - mean) / (sd + 1e-8); cost: x / (sd + 1e-8); critic: x
  double mean = 0;         // of every dimension, as the variance
  double variance = 1;
};

struct ModelConfig {
  Architecture architecture = Architecture::kGptNeoX;
  std::int64_t vocabulary = 50304;
  std::int64_t hidden = 512;
  std::int64_t layers = 6;
  std::int64_t heads = 8;
  std::int64_t key_value_heads = 8;  // fewer than heads: grouped queries (LLaMA only)
  std::int64_t intermediate = 2048;
  std::int64_t max_positions = 2048;
  Activation activation = Activation::kGelu;
  double rotary_fraction = 0.25;  // of a head's dimensions; LLaMA: 1
  double rotary_base = 10000;
  double norm_epsilon = 1e-5;
  bool parallel_residual = true;  // GPT-NeoX only
  bool tied_embeddings = false;   // the output head is the input embedding
  double initializer_range = 0.02;
  std::int64_t bos = 0;
  std::int64_t eos = 0;
  std::optional<std::int64_t> pad = {};
  std::optional<ScoreConfig> score = {};

  std::int64_t head_size() const { return hidden / heads; }
  // Rotated dimensions of a head: int(head_size * rotary_fraction), even.
  std::int64_t rotary_size() const;
};

// Every rule a shape must keep (counts at least 1, heads divide hidden, kv heads divide heads, an
// even rotary size, ids below the vocabulary, ...). Throws InvalidInput naming `where`, the key,
// its value and the rule. Unknown keys are left alone; an unknown model_type, hidden_act or
// rope_scaling is refused by name, for it would give wrong numbers; so are attention_bias false in
// GPT-NeoX, biases in LLaMA and heads of another size than hidden / heads. Keys that are not there
// have the defaults of transformers, where they do not say the shape; of several eos tokens the
// first counts.
ModelConfig model_config_from(const nlohmann::json& json, std::string_view where);
void check_config(const ModelConfig& config, std::string_view where);
nlohmann::json json_of(const ModelConfig& config);  // what transformers reads

// `path` is config.json or the folder that holds it.
ModelConfig read_model_config(const std::filesystem::path& path);
void write_model_config(const ModelConfig& config, const std::filesystem::path& path);

// The shapes of the Pythia suite: 14m, 31m, 70m, 160m, 410m, 1b, 1.4b, 2.8b, 6.9b, 12b. Throws
// InvalidInput with the list for any other size.
ModelConfig pythia(std::string_view size);

}  // namespace rgu::llm
