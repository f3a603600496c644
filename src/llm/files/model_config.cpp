#include "rgu/llm/files/model_config.hpp"

#include <array>
#include <cmath>

#include "rgu/base/check.hpp"

namespace rgu::llm {
namespace {

// Beyond any model there is, and small enough that no count of parameters overflows.
constexpr std::int64_t kMostLayers = 10'000;
constexpr std::int64_t kWidest = std::int64_t{1} << 20;
constexpr std::int64_t kMostTokens = std::int64_t{1} << 28;
constexpr std::int64_t kMostPositions = std::int64_t{1} << 30;

struct Bounds {
  std::int64_t least = 1;
  std::int64_t most = 1;
};
void check_within(std::string_view where, std::string_view key, std::int64_t value, Bounds bounds) {
  check(value >= bounds.least && value <= bounds.most, "{}: {} is {}, must be from {} to {}", where,
        key, value, bounds.least, bounds.most);
}

void check_sizes(const ModelConfig& config, std::string_view where) {
  check_within(where, "vocab_size", config.vocabulary, {.least = 1, .most = kMostTokens});
  check_within(where, "hidden_size", config.hidden, {.least = 1, .most = kWidest});
  check_within(where, "num_hidden_layers", config.layers, {.least = 1, .most = kMostLayers});
  check_within(where, "num_attention_heads", config.heads, {.least = 1, .most = config.hidden});
  check_within(where, "num_key_value_heads", config.key_value_heads,
               {.least = 1, .most = config.heads});
  check_within(where, "intermediate_size", config.intermediate, {.least = 1, .most = kWidest});
  check_within(where, "max_position_embeddings", config.max_positions,
               {.least = 1, .most = kMostPositions});
  check(config.hidden % config.heads == 0,
        "{}: num_attention_heads is {}, must divide hidden_size {}", where, config.heads,
        config.hidden);
  check(config.heads % config.key_value_heads == 0,
        "{}: num_key_value_heads is {}, must divide num_attention_heads {}", where,
        config.key_value_heads, config.heads);
}

void check_numbers(const ModelConfig& config, std::string_view where) {
  check(config.rotary_fraction > 0 && config.rotary_fraction <= 1,
        "{}: rotary_pct is {}, must be above 0 and at most 1", where, config.rotary_fraction);
  check(config.rotary_size() >= 2, "{}: rotary_pct is {}, must leave at least 2 of {} dimensions",
        where, config.rotary_fraction, config.head_size());
  check(config.rotary_size() % 2 == 0,
        "{}: {} dimensions of a head are rotated, must be an even number", where,
        config.rotary_size());
  check(std::isfinite(config.rotary_base) && config.rotary_base >= 1,
        "{}: rope_theta is {}, must be at least 1", where, config.rotary_base);
  check(config.norm_epsilon >= 0 && config.norm_epsilon < 1,
        "{}: the norm's epsilon is {}, must be in [0, 1)", where, config.norm_epsilon);
  check(config.initializer_range >= 0 && std::isfinite(config.initializer_range),
        "{}: initializer_range is {}, must be finite and at least 0", where,
        config.initializer_range);
}

void check_ids(const ModelConfig& config, std::string_view where) {
  const Bounds ids{.least = 0, .most = config.vocabulary - 1};
  check_within(where, "bos_token_id", config.bos, ids);
  check_within(where, "eos_token_id", config.eos, ids);
  if (config.pad) check_within(where, "pad_token_id", *config.pad, ids);
}

void check_kind(const ModelConfig& config, std::string_view where) {
  if (config.architecture == Architecture::kGptNeoX) {
    check(config.key_value_heads == config.heads,
          "{}: num_key_value_heads is {}, must equal num_attention_heads {} in gpt_neox", where,
          config.key_value_heads, config.heads);
    return;
  }
  check(config.rotary_fraction == 1, "{}: the rotated part of a head is {}, must be 1 in llama",
        where, config.rotary_fraction);
}

void check_score(const ScoreConfig& score, std::string_view where) {
  check_within(where, "score_dim", score.dimension, {.least = 1, .most = kWidest});
  check(std::isfinite(score.mean), "{}: mean is {}, must be finite", where, score.mean);
  check(std::isfinite(score.variance) && score.variance >= 0,
        "{}: var is {}, must be finite and at least 0", where, score.variance);
}

struct PythiaRow {
  std::string_view size;
  std::int64_t layers;
  std::int64_t hidden;
  std::int64_t heads;
  std::int64_t vocabulary;
};
constexpr std::array<PythiaRow, 10> kPythia = {{{"14m", 6, 128, 4, 50304},
                                                {"31m", 6, 256, 8, 50304},
                                                {"70m", 6, 512, 8, 50304},
                                                {"160m", 12, 768, 12, 50304},
                                                {"410m", 24, 1024, 16, 50304},
                                                {"1b", 16, 2048, 8, 50304},
                                                {"1.4b", 24, 2048, 16, 50304},
                                                {"2.8b", 32, 2560, 32, 50304},
                                                {"6.9b", 32, 4096, 32, 50432},
                                                {"12b", 36, 5120, 40, 50688}}};

}  // namespace

std::int64_t ModelConfig::rotary_size() const {
  return static_cast<std::int64_t>(static_cast<double>(head_size()) * rotary_fraction);
}

void check_config(const ModelConfig& config, std::string_view where) {
  check_sizes(config, where);
  check_numbers(config, where);
  check_ids(config, where);
  check_kind(config, where);
  if (config.score) check_score(*config.score, where);
}

ModelConfig pythia(std::string_view size) {
  std::string names;
  for (const PythiaRow& row : kPythia) {
    if (row.size == size) {
      return {.architecture = Architecture::kGptNeoX,
              .vocabulary = row.vocabulary,
              .hidden = row.hidden,
              .layers = row.layers,
              .heads = row.heads,
              .key_value_heads = row.heads,
              .intermediate = 4 * row.hidden};
    }
    names += names.empty() ? "" : ", ";
    names += row.size;
  }
  throw InvalidInput(fmt::format("the Pythia size is '{}', must be one of {}", size, names));
}

}  // namespace rgu::llm
