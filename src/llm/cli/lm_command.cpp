#include "rgu/llm/cli/lm_command.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rgu/base/check.hpp"
#include "rgu/llm/text/tokenizer_files.hpp"

namespace rgu::llm {

namespace fs = std::filesystem;

void ModelArguments::add_to(CLI::App& command) {
  command
      .add_option(
          "model", model,
          "Folder of a model, a .safetensors file beside its config, or a llama2.c .bin file")
      ->required()
      ->type_name("MODEL");
  command.add_option("--adapter", adapter, "Folder of a low-rank adapter to use with the model")
      ->type_name("DIR");
  command
      .add_option(
          "--tokenizer", tokenizer,
          "tokenizer.json, tokenizer.model, a llama2.c tokenizer or a folder (default: that "
          "in the model's folder)")
      ->type_name("PATH");
}

ModelFiles ModelArguments::open() const {
  ModelFiles files = open_model(model);
  if (!adapter.empty()) files.weights = merged(files.config, files.weights, open_adapter(adapter));
  return files;
}

std::optional<AdapterFiles> ModelArguments::open_adapter_files() const {
  if (adapter.empty()) return {};
  return open_adapter(adapter);
}

std::unique_ptr<Tokenizer> ModelArguments::open_tokenizer_for(const ModelFiles& files) const {
  check(!tokenizer.empty() || holds_tokenizer(files.folder),
        "{}: there is no tokenizer with the model; name one by --tokenizer", model);
  const fs::path path = tokenizer.empty() ? files.folder : fs::path(tokenizer);
  std::unique_ptr<Tokenizer> opened = open_tokenizer(path);
  check(opened->size() <= files.config.vocabulary,
        "{}: the tokenizer has {} tokens, the model {} has only {}: it belongs to another model",
        path.string(), opened->size(), model, files.config.vocabulary);
  return opened;
}

void OutputArguments::add_to(CLI::App& command) {
  command.add_flag("--json", json, "Print the results as JSON");
  command.add_flag("--quiet,-q", quiet, "No progress");
}

std::optional<DataType> weight_type(const std::string& name) {
  if (name == "f32") return DataType::kF32;
  if (name == "f16") return DataType::kF16;
  if (name == "bf16") return DataType::kBF16;
  return {};
}

void add_type_option(CLI::App& command, std::string& type, const std::string& meaning) {
  command.add_option("--type", type, meaning)->check(CLI::IsMember({"f32", "f16", "bf16"}));
}

void check_free(const fs::path& path, Existing existing) {
  std::error_code error;
  if (existing == Existing::kReplace || !fs::exists(path, error)) return;
  check(fs::is_directory(path, error), "{} exists and is not a folder", path.string());
  check(fs::is_empty(path, error), "{} exists; --force replaces it", path.string());
}

}  // namespace rgu::llm
