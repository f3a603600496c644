#include "rgu/llm/files/model_files.hpp"

#include "rgu/base/check.hpp"
#include "rgu/base/text_file.hpp"
#include "rgu/llm/files/llama2c.hpp"
#include "rgu/llm/files/output_folder.hpp"
#include "rgu/llm/files/parameters.hpp"
#include "rgu/llm/files/safetensors.hpp"

namespace rgu::llm {
namespace {

namespace fs = std::filesystem;

// False also where the system refuses to tell.
bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

Weights weights_in(const fs::path& folder) {
  const fs::path single = folder / "model.safetensors";
  const fs::path index = folder / "model.safetensors.index.json";
  if (is_there(single)) return read_safetensors(single);
  check(is_there(index), "{}: holds neither model.safetensors nor model.safetensors.index.json{}",
        folder.string(),
        is_there(folder / "pytorch_model.bin") ? " (pytorch_model.bin is not read)" : "");
  return read_sharded(index);
}

// NAME_config.json beside NAME.safetensors, otherwise config.json.
fs::path config_beside(const fs::path& file) {
  const fs::path own = file.parent_path() / (file.stem().string() + "_config.json");
  if (is_there(own)) return own;
  const fs::path common = file.parent_path() / "config.json";
  check(is_there(common), "{}: neither {} nor config.json is beside it", file.string(),
        own.filename().string());
  return common;
}

// The head that the file is for: a score model may lack the output head, and a language model whose
// configuration speaks of scores may lack the score head.
Head head_of(const ModelConfig& config, const Weights& weights) {
  if (!config.score) return Head::kLanguage;
  const bool language = weights.contains("lm_head.weight") || weights.contains("embed_out.weight");
  return language && !weights.contains("score_head.weight") ? Head::kLanguage : Head::kScore;
}

const char* torch_name(DataType type) {
  if (type == DataType::kF16) return "float16";
  return type == DataType::kBF16 ? "bfloat16" : "float32";
}

}  // namespace

ModelFiles open_model(const fs::path& path) {
  check(is_there(path), "cannot read {}: no such file or folder", path.string());
  ModelFiles model;
  if (fs::is_directory(path)) {
    model = {.config = read_model_config(path), .weights = weights_in(path), .folder = path};
  } else if (path.extension() == ".bin") {
    model = read_llama2c(path);
  } else {
    check(path.extension() == ".safetensors",
          "{}: a model is a folder, a .safetensors or a .bin file", path.string());
    model = {.config = read_model_config(config_beside(path)),
             .weights = read_safetensors(path),
             .folder = path.parent_path()};
  }
  check_weights(model.config, head_of(model.config, model.weights), model.weights, path.string());
  return model;
}

void save_model(const ModelConfig& config, const Weights& weights, const fs::path& folder,
                const SaveOptions& options) {
  check_config(config, "the model");
  make_folder(folder);
  Weights written = weights;
  written.metadata["format"] = "pt";  // transformers asks for it
  write_sharded(folder, "model", written,
                {.type = options.type, .shard_bytes = options.shard_bytes});
  nlohmann::json keys = json_of(config);
  keys["torch_dtype"] = torch_name(options.type);
  write_whole(folder / "config.json", keys.dump(2) + "\n");
}

}  // namespace rgu::llm
