// Models and adapters as folders of files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "rgu/llm/files/model_config.hpp"
#include "rgu/llm/files/tensor.hpp"

namespace rgu::llm {

// A shape and its weights. The weights are views into mapped files where that is possible.
struct ModelFiles {
  ModelConfig config = {};
  Weights weights = {};
  std::filesystem::path folder = {};  // where a tokenizer may lie too
};

// `path` is a folder with config.json and model.safetensors or model.safetensors.index.json, one
// .safetensors file beside its config (config.json or NAME_config.json), or a llama2.c .bin file.
// Throws InvalidInput where anything does not agree: the weights are checked against the
// configuration, with the score head where the configuration has one and the file is not of a
// language model only.
ModelFiles open_model(const std::filesystem::path& path);

// Writes config.json and model.safetensors (sharded with an index above `shard_bytes`) into
// `folder`, made if it is not there. `type` is kF32, kF16 or kBF16.
struct SaveOptions {
  DataType type = DataType::kF32;
  std::uint64_t shard_bytes = std::uint64_t{5} << 30;
};
void save_model(const ModelConfig& config, const Weights& weights,
                const std::filesystem::path& folder, const SaveOptions& options = {});

// A low-rank adapter as PEFT keeps it: y = W x + b + (alpha / rank) B A x on each target module.
// lora_A is (rank, in), lora_B is (out, rank); keys are
// "base_model.model." + module + ".lora_A.weight". `weights` has them under `module` + ".lora_A"
// and `module` + ".lora_B"; further tensors (a score head saved with the adapter: modules_to_save)
// keep their module's parameter name.
struct AdapterConfig {
  std::int64_t rank = 8;
  double alpha = 8;
  double dropout = 0;
  std::vector<std::string> target_modules = {};  // the last parts of module paths
  std::vector<std::string> modules_to_save = {};
  std::string base_model = {};  // base_model_name_or_path
  std::string task = "CAUSAL_LM";

  double scaling() const { return alpha / static_cast<double>(rank); }
};
struct AdapterFiles {
  AdapterConfig config = {};
  Weights weights = {};
};
// Keys with the adapter's name "default" (".lora_A.default.weight") are understood too. Fields of
// PEFT that would change the numbers (use_rslora, use_dora, bias, rank_pattern,
// layers_to_transform, ...) are refused by name.
AdapterFiles open_adapter(const std::filesystem::path& folder);
AdapterConfig adapter_config_from(const nlohmann::json& keys, const std::string& where);
// The tensors of an adapter_model.safetensors whose configuration is known.
AdapterFiles adapter_from(const AdapterConfig& config, const Weights& stored,
                          const std::string& where);
void save_adapter(const AdapterFiles& adapter, const std::filesystem::path& folder);

// The modules of `config` that an adapter's target modules name, with their (out, in) shapes;
// throws InvalidInput, with the names there are, if a target names none.
struct LinearModule {
  std::string name;  // "gpt_neox.layers.0.attention.query_key_value"
  std::int64_t out = 0;
  std::int64_t in = 0;
};
// Those of the layers, layer by layer, in the order of parameters_of; heads are not among them.
std::vector<LinearModule> linear_modules(const ModelConfig& config);
std::vector<LinearModule> adapted_modules(const ModelConfig& config,
                                          const std::vector<std::string>& targets);
std::vector<std::string> default_targets(Architecture architecture);

// W + (alpha / rank) B A for every adapted module, as F32, the other tensors as they are; those of
// modules_to_save take the place of the model's own. The sign kSubtract takes a merged adapter out
// again (but not the tensors of modules_to_save, for what they replaced is not known). Throws
// InvalidInput where the adapter does not fit the model.
enum class MergeSign { kAdd = 1, kSubtract = -1 };
Weights merged(const ModelConfig& config, const Weights& base, const AdapterFiles& adapter,
               MergeSign sign = MergeSign::kAdd);

}  // namespace rgu::llm
