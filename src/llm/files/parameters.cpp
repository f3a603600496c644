#include "rgu/llm/files/parameters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include "rgu/base/check.hpp"
#include "rgu/base/philox_lanes.hpp"
#include "rgu/llm/files/json_text.hpp"
#include "rgu/llm/files/model_files.hpp"

namespace rgu::llm {
namespace {

constexpr std::size_t kNamed = 10;  // tensors of one kind in a message

class Parameters {
 public:
  void weight(const std::string& module, TensorShape shape, Initial initial = Initial::kNormal) {
    list_.push_back({.name = module + ".weight", .shape = std::move(shape), .initial = initial});
  }
  void bias(const std::string& module, std::int64_t size) {
    list_.push_back({.name = module + ".bias", .shape = {size}, .initial = Initial::kZeros});
  }
  void layer_norm(const std::string& module, std::int64_t size) {
    weight(module, {size}, Initial::kOnes);
    bias(module, size);
  }
  void rms_norm(const std::string& module, std::int64_t size) {
    weight(module, {size}, Initial::kOnes);
  }

  std::vector<Parameter> take() { return std::move(list_); }

 private:
  std::vector<Parameter> list_;
};

void add_gpt_neox(const ModelConfig& config, Parameters& parameters) {
  parameters.weight("gpt_neox.embed_in", {config.vocabulary, config.hidden});
  const std::vector<LinearModule> modules = linear_modules(config);
  const std::size_t each = modules.size() / static_cast<std::size_t>(config.layers);
  for (std::size_t first = 0; first < modules.size(); first += each) {
    const std::string layer = fmt::format("gpt_neox.layers.{}.", first / each);
    parameters.layer_norm(layer + "input_layernorm", config.hidden);
    parameters.layer_norm(layer + "post_attention_layernorm", config.hidden);
    for (std::size_t i = first; i < first + each; ++i) {
      parameters.weight(modules[i].name, {modules[i].out, modules[i].in});
      parameters.bias(modules[i].name, modules[i].out);
    }
  }
  parameters.layer_norm("gpt_neox.final_layer_norm", config.hidden);
}

void add_llama(const ModelConfig& config, Parameters& parameters) {
  parameters.weight("model.embed_tokens", {config.vocabulary, config.hidden});
  const std::vector<LinearModule> modules = linear_modules(config);
  const std::size_t each = modules.size() / static_cast<std::size_t>(config.layers);
  for (std::size_t first = 0; first < modules.size(); first += each) {
    const std::string layer = fmt::format("model.layers.{}.", first / each);
    for (std::size_t i = first; i < first + each; ++i) {
      parameters.weight(modules[i].name, {modules[i].out, modules[i].in});
    }
    parameters.rms_norm(layer + "input_layernorm", config.hidden);
    parameters.rms_norm(layer + "post_attention_layernorm", config.hidden);
  }
  parameters.rms_norm("model.norm", config.hidden);
}

void add_head(const ModelConfig& config, Head head, Parameters& parameters) {
  if (head == Head::kLanguage) {
    if (config.tied_embeddings) return;
    const bool neox = config.architecture == Architecture::kGptNeoX;
    parameters.weight(neox ? "embed_out" : "lm_head", {config.vocabulary, config.hidden});
    return;
  }
  const ScoreConfig score = config.score.value_or(ScoreConfig{});
  parameters.weight("score_head", {score.dimension, config.hidden});
  if (score.bias) parameters.bias("score_head", score.dimension);
}

// What checkpoints carry beside the parameters: buffers of older versions, other heads.
bool is_extra(const std::string& name) {
  for (const char* end : {".attention.bias", ".attention.masked_bias", "rotary_emb.inv_freq"}) {
    if (name.ends_with(end)) return true;
  }
  for (const char* begin : {"lm_head.", "embed_out.", "score_head.", "normalizer.", "v_head."}) {
    if (name.starts_with(begin)) return true;
  }
  return false;
}

// Names of one kind: all are counted, few are named.
class Names {
 public:
  explicit Names(std::string_view kind) : kind_(kind) {}
  void add(const std::string& text) {
    if (++count_ <= kNamed) named_ += (named_.empty() ? "" : ", ") + text;
  }
  // "; missing: a, b and 3 more", or nothing.
  std::string text() const {
    if (count_ == 0) return {};
    const std::string rest = count_ > kNamed ? fmt::format(" and {} more", count_ - kNamed) : "";
    return fmt::format("; {}: {}{}", kind_, named_, rest);
  }

 private:
  std::string_view kind_;
  std::string named_;
  std::size_t count_ = 0;
};

// What is wrong with a tensor that is there; empty if nothing is.
std::string fault_of(const TensorView& tensor, const Parameter& parameter) {
  if (tensor.shape != parameter.shape) {
    return fmt::format("{} has {}, must have {}", parameter.name, text_of(tensor.shape),
                       text_of(parameter.shape));
  }
  if (!is_floating(tensor.type)) {
    return fmt::format("{} has values of type {}", parameter.name, name_of(tensor.type));
  }
  return {};
}

// Two independent standard normals from 64 random bits, by Box and Muller's method.
std::array<float, 2> normal_pair(std::uint64_t bits) {
  const float uniform = static_cast<float>(bits & 0xffffffffu) * 0x1p-32f + 0x1p-33f;  // never 0
  const float radius = std::sqrt(-2 * std::log(uniform));
  const float angle =
      static_cast<float>(bits >> 32) * static_cast<float>(0x1p-31 * std::numbers::pi);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

// A block of random bits gives four values: those of row r, columns 4 i to 4 i + 3, come from
// family.block(i, r).
void fill_normal(const StreamFamily& family, std::uint32_t row, float deviation,
                 std::span<float> values) {
  constexpr std::size_t kAtOnce = std::size_t{4} * kPhiloxLanes;
  std::array<std::uint64_t, kPhiloxLanes> first{};
  std::array<std::uint64_t, kPhiloxLanes> second{};
  for (std::size_t begin = 0; begin < values.size(); begin += kAtOnce) {
    philox_lanes(family, static_cast<std::uint32_t>(begin / 4), row, first.data(), second.data());
    for (std::size_t i = begin; i < std::min(begin + kAtOnce, values.size()); i += 2) {
      const std::size_t lane = (i - begin) / 4;
      const auto pair = normal_pair(i % 4 == 0 ? first[lane] : second[lane]);
      values[i] = deviation * pair[0];
      if (i + 1 < values.size()) values[i + 1] = deviation * pair[1];
    }
  }
}

std::vector<float> drawn(const Parameter& parameter, double deviation, Rng& rng) {
  const auto count = static_cast<std::size_t>(element_count(parameter.shape));
  std::vector<float> values(count, parameter.initial == Initial::kOnes ? 1.0f : 0.0f);
  if (parameter.initial != Initial::kNormal) return values;
  const StreamFamily family = rng.fork();
  const auto columns = static_cast<std::size_t>(parameter.shape.back());
  for (std::size_t row = 0; row < count / columns; ++row) {
    fill_normal(family, static_cast<std::uint32_t>(row), static_cast<float>(deviation),
                std::span(values).subspan(row * columns, columns));
  }
  return values;
}

}  // namespace

std::vector<Parameter> parameters_of(const ModelConfig& config, Head head) {
  check_config(config, "the model");
  Parameters parameters;
  config.architecture == Architecture::kGptNeoX ? add_gpt_neox(config, parameters)
                                                : add_llama(config, parameters);
  add_head(config, head, parameters);
  return parameters.take();
}

std::int64_t parameter_count(const ModelConfig& config, Head head) {
  std::int64_t count = 0;
  for (const Parameter& parameter : parameters_of(config, head))
    count += element_count(parameter.shape);
  return count;
}

void check_weights(const ModelConfig& config, Head head, const Weights& weights,
                   const std::string& where) {
  Names missing("missing");
  Names unexpected("unexpected");
  Names wrong("wrong");
  std::set<std::string> known;
  for (const Parameter& parameter : parameters_of(config, head)) {
    known.insert(parameter.name);
    const auto found = weights.tensors.find(parameter.name);
    if (found == weights.tensors.end()) {
      if (parameter.name != "score_head.bias") missing.add(parameter.name);
      continue;
    }
    const std::string fault = fault_of(found->second, parameter);
    if (!fault.empty()) wrong.add(fault);
  }
  for (const auto& [name, tensor] : weights.tensors) {
    if (!known.contains(name) && !is_extra(name)) unexpected.add(in_quotes(name));
  }
  const std::string faults = missing.text() + unexpected.text() + wrong.text();
  check(faults.empty(), "{}: its tensors do not fit the configuration{}", where, faults);
}

Weights random_weights(const ModelConfig& config, Head head, Rng& rng) {
  Weights weights;
  for (const Parameter& parameter : parameters_of(config, head)) {
    weights.put(parameter.name, drawn(parameter, config.initializer_range, rng), parameter.shape);
  }
  return weights;
}

}  // namespace rgu::llm
