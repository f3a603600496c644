#include <algorithm>
#include <array>
#include <cmath>

#include "rgu/base/check.hpp"
#include "rgu/llm/files/json_text.hpp"
#include "rgu/llm/files/model_files.hpp"
#include "rgu/llm/files/output_folder.hpp"
#include "rgu/llm/files/safetensors.hpp"

namespace rgu::llm {
namespace {

using nlohmann::json;

constexpr std::string_view kPrefix = "base_model.model.";
constexpr std::int64_t kLargestRank = std::int64_t{1} << 20;

// Keys of PEFT that would change y = W x + b + (alpha / rank) B A x, or where it holds.
constexpr std::array<const char*, 17> kUnsupported = {"use_rslora",
                                                      "use_dora",
                                                      "rank_pattern",
                                                      "alpha_pattern",
                                                      "layers_to_transform",
                                                      "layers_pattern",
                                                      "fan_in_fan_out",
                                                      "lora_bias",
                                                      "layer_replication",
                                                      "exclude_modules",
                                                      "target_parameters",
                                                      "trainable_token_indices",
                                                      "use_qalora",
                                                      "arrow_config",
                                                      "alora_invocation_tokens",
                                                      "use_bdlora",
                                                      "velora_config"};

bool is_nothing(const json& value) {
  return value.is_null() || value == false || value == json("") ||
         (value.is_structured() && value.empty());
}

void refuse_unsupported(const json& keys, const std::string& where) {
  check(keys.value("peft_type", json()) == "LORA", "{}: peft_type is {}, must be \"LORA\"", where,
        one_line(keys.value("peft_type", json())));
  for (const char* key : kUnsupported) {
    const json value = keys.value(key, json());
    check(is_nothing(value), "{}: {} is {}, which is not supported", where, key, one_line(value));
  }
  const json bias = keys.value("bias", json("none"));
  check(bias == "none", "{}: bias is {}, must be \"none\"", where, one_line(bias));
  // These change the base model's own weights.
  const json initial = keys.value("init_lora_weights", json(true));
  if (!initial.is_string()) return;
  for (const char* kind : {"pissa", "olora", "corda", "loftq"}) {
    check(!initial.get_ref<const std::string&>().starts_with(kind),
          "{}: init_lora_weights is {}, which is not supported", where, one_line(initial));
  }
}

std::vector<std::string> strings(const json& keys, const char* key, const std::string& where) {
  const json value = keys.value(key, json());
  if (value.is_null()) return {};
  check(value.is_array(), "{}: {} is {}, must be a list of names", where, key, one_line(value));
  std::vector<std::string> names;
  for (const json& name : value) {
    check(name.is_string() && name != json(""), "{}: {} is {}, must be a list of names", where, key,
          one_line(value));
    names.push_back(name.get<std::string>());
  }
  return names;
}

double number(const json& keys, const char* key, double otherwise, const std::string& where) {
  const json value = keys.value(key, json(otherwise));
  check(value.is_number() && std::isfinite(value.get<double>()), "{}: {} is {}, must be a number",
        where, key, one_line(value));
  return value.get<double>();
}

std::string text(const json& keys, const char* key, const std::string& where) {
  const json value = keys.value(key, json());
  check(value.is_null() || value.is_string(), "{}: {} is {}, must be a string", where, key,
        one_line(value));
  return value.is_null() ? std::string() : value.get<std::string>();
}

void check_adapter(const AdapterConfig& config, const std::string& where) {
  check(config.rank >= 1 && config.rank <= kLargestRank, "{}: r is {}, must be from 1 to {}", where,
        config.rank, kLargestRank);
  check(std::isfinite(config.alpha), "{}: lora_alpha is {}, must be finite", where, config.alpha);
  check(config.dropout >= 0 && config.dropout < 1, "{}: lora_dropout is {}, must be in [0, 1)",
        where, config.dropout);
  check(!config.target_modules.empty(), "{}: target_modules names none, must name at least one",
        where);
}

// The path without its part of that name, where it has one.
std::string without(std::string path, const std::string& part) {
  const std::size_t at = path.find("." + part + ".");
  return at == std::string::npos ? path : path.erase(at, part.size() + 1);
}

bool within(const std::string& name, const std::vector<std::string>& modules) {
  return std::ranges::any_of(modules, [&](const std::string& module) {
    return ("." + name).find("." + module + ".") != std::string::npos;
  });
}

bool ends_in(const std::string& module, const std::vector<std::string>& targets) {
  return std::ranges::any_of(targets, [&](const std::string& target) {
    return module == target || module.ends_with("." + target);
  });
}

// A tensor of the file by the name that AdapterFiles gives it.
std::string own_name(const std::string& key, const AdapterConfig& config,
                     const std::string& where) {
  check(key.starts_with(kPrefix), "{}: tensor {} must have a name that begins with {}", where,
        in_quotes(key), kPrefix);
  // "default" is the adapter's name, which PEFT takes out of the keys it writes but others leave
  // in.
  const std::string name = without(key.substr(kPrefix.size()), "default");
  for (const std::string factor : {".lora_A", ".lora_B"}) {
    if (!name.ends_with(factor + ".weight")) continue;
    const std::string module =
        name.substr(0, name.size() - factor.size() - std::string(".weight").size());
    check(ends_in(module, config.target_modules), "{}: tensor {} belongs to none of target_modules",
          where, in_quotes(key));
    return module + factor;
  }
  const std::string saved = without(name, "modules_to_save");
  check(within(saved, config.modules_to_save),
        "{}: tensor {} is neither lora_A nor lora_B of a target module nor of modules_to_save",
        where, in_quotes(key));
  return saved;
}

// Each A has its B, and both have the rank.
void check_factors(const AdapterFiles& adapter, const std::string& where) {
  const std::int64_t rank = adapter.config.rank;
  const auto& tensors = adapter.weights.tensors;
  std::size_t pairs = 0;
  for (const auto& [name, tensor] : tensors) {
    const bool first = name.ends_with(".lora_A");
    if (!first && !name.ends_with(".lora_B")) continue;
    const std::string other = name.substr(0, name.size() - 1) + (first ? "B" : "A");
    check(tensors.contains(other), "{}: {} is there, but not {}", where, in_quotes(name),
          in_quotes(other));
    check(tensor.shape.size() == 2 && tensor.shape[first ? 0 : 1] == rank,
          "{}: {} has shape {}, must be {} for rank {}", where, in_quotes(name),
          text_of(tensor.shape), first ? "(rank, in)" : "(out, rank)", rank);
    ++pairs;
  }
  check(pairs > 0, "{}: holds no lora_A and lora_B", where);
}

json optional_text(const std::string& text) { return text.empty() ? json() : json(text); }

// Integers as PEFT writes them, without a fraction.
json plain_number(double value) {
  if (value == std::round(value) && std::abs(value) < 1e15) return static_cast<std::int64_t>(value);
  return value;
}

json json_of(const AdapterConfig& config) {
  json saved = config.modules_to_save;
  if (config.modules_to_save.empty()) saved = nullptr;
  return {{"peft_type", "LORA"},
          {"task_type", optional_text(config.task)},
          {"base_model_name_or_path", optional_text(config.base_model)},
          {"r", config.rank},
          {"lora_alpha", plain_number(config.alpha)},
          {"lora_dropout", config.dropout},
          {"target_modules", config.target_modules},
          {"modules_to_save", saved},
          {"bias", "none"},
          {"fan_in_fan_out", false},
          {"inference_mode", true},
          {"init_lora_weights", true},
          {"auto_mapping", nullptr},
          {"layers_pattern", nullptr},
          {"layers_to_transform", nullptr},
          {"rank_pattern", json::object()},
          {"alpha_pattern", json::object()},
          {"revision", nullptr}};
}

}  // namespace

AdapterConfig adapter_config_from(const json& keys, const std::string& where) {
  check(keys.is_object(), "{}: must be a JSON object", where);
  refuse_unsupported(keys, where);
  const json rank = keys.value("r", json(8));
  check(rank.is_number_integer() && rank >= 1 && rank <= kLargestRank,
        "{}: r is {}, must be an integer from 1 to {}", where, one_line(rank), kLargestRank);
  AdapterConfig config{.rank = rank.get<std::int64_t>(),
                       .alpha = number(keys, "lora_alpha", 8, where),
                       .dropout = number(keys, "lora_dropout", 0, where),
                       .target_modules = strings(keys, "target_modules", where),
                       .modules_to_save = strings(keys, "modules_to_save", where),
                       .base_model = text(keys, "base_model_name_or_path", where),
                       .task = text(keys, "task_type", where)};
  check_adapter(config, where);
  return config;
}

AdapterFiles adapter_from(const AdapterConfig& config, const Weights& stored,
                          const std::string& where) {
  check_adapter(config, where);
  AdapterFiles adapter{
      .config = config,
      .weights = {.tensors = {}, .owners = stored.owners, .metadata = stored.metadata}};
  for (const auto& [key, tensor] : stored.tensors) {
    check(adapter.weights.tensors.emplace(own_name(key, config, where), tensor).second,
          "{}: tensor {} is there twice, with and without the adapter's name", where,
          in_quotes(key));
  }
  check_factors(adapter, where);
  return adapter;
}

AdapterFiles open_adapter(const std::filesystem::path& folder) {
  const std::filesystem::path keys = folder / "adapter_config.json";
  const std::filesystem::path weights = folder / "adapter_model.safetensors";
  return adapter_from(adapter_config_from(read_json(keys), keys.string()),
                      read_safetensors(weights), weights.string());
}

void save_adapter(const AdapterFiles& adapter, const std::filesystem::path& folder) {
  check_adapter(adapter.config, "the adapter");
  check_factors(adapter, "the adapter");
  Weights stored{.tensors = {}, .owners = {}, .metadata = {{"format", "pt"}}};
  for (const auto& [name, tensor] : adapter.weights.tensors) {
    const bool factor = name.ends_with(".lora_A") || name.ends_with(".lora_B");
    stored.tensors.emplace(std::string(kPrefix) + name + (factor ? ".weight" : ""), tensor);
  }
  make_folder(folder);
  write_safetensors(folder / "adapter_model.safetensors", stored);
  write_whole(folder / "adapter_config.json", json_of(adapter.config).dump(2) + "\n");
}

}  // namespace rgu::llm
