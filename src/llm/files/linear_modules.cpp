#include <fmt/ranges.h>

#include "rgu/base/check.hpp"
#include "rgu/llm/files/json_text.hpp"
#include "rgu/llm/files/model_files.hpp"

namespace rgu::llm {
namespace {

std::vector<LinearModule> gpt_neox_layer(const ModelConfig& config) {
  const std::int64_t width = config.hidden;
  return {{"attention.query_key_value", 3 * width, width},
          {"attention.dense", width, width},
          {"mlp.dense_h_to_4h", config.intermediate, width},
          {"mlp.dense_4h_to_h", width, config.intermediate}};
}

std::vector<LinearModule> llama_layer(const ModelConfig& config) {
  const std::int64_t width = config.hidden;
  const std::int64_t shared = config.key_value_heads * config.head_size();
  return {{"self_attn.q_proj", width, width},
          {"self_attn.k_proj", shared, width},
          {"self_attn.v_proj", shared, width},
          {"self_attn.o_proj", width, width},
          {"mlp.gate_proj", config.intermediate, width},
          {"mlp.up_proj", config.intermediate, width},
          {"mlp.down_proj", width, config.intermediate}};
}

std::vector<LinearModule> layer_of(const ModelConfig& config) {
  return config.architecture == Architecture::kGptNeoX ? gpt_neox_layer(config)
                                                       : llama_layer(config);
}

bool names(const std::string& target, const std::string& module) {
  return module == target || module.ends_with("." + target);
}

}  // namespace

std::vector<LinearModule> linear_modules(const ModelConfig& config) {
  const char* stem =
      config.architecture == Architecture::kGptNeoX ? "gpt_neox.layers" : "model.layers";
  std::vector<LinearModule> modules;
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    for (LinearModule module : layer_of(config)) {
      module.name = fmt::format("{}.{}.{}", stem, layer, module.name);
      modules.push_back(std::move(module));
    }
  }
  return modules;
}

std::vector<LinearModule> adapted_modules(const ModelConfig& config,
                                          const std::vector<std::string>& targets) {
  std::vector<LinearModule> adapted;
  std::vector<bool> used(targets.size(), false);
  for (LinearModule& module : linear_modules(config)) {
    bool chosen = false;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (!names(targets[i], module.name)) continue;
      used[i] = true;
      chosen = true;
    }
    if (chosen) adapted.push_back(std::move(module));
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    std::vector<std::string> there;
    for (const LinearModule& module : layer_of(config)) {
      there.push_back(module.name.substr(module.name.find('.') + 1));
    }
    check(used[i], "target module {} is not in the model, must be one of {}", in_quotes(targets[i]),
          fmt::join(there, ", "));
  }
  return adapted;
}

std::vector<std::string> default_targets(Architecture architecture) {
  if (architecture == Architecture::kGptNeoX) return {"query_key_value"};
  return {"q_proj", "v_proj"};
}

}  // namespace rgu::llm
