#include "rgu/llm/cli/lm_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "rgu/base/check.hpp"
#include "rgu/base/text_file.hpp"

namespace rgu::llm {
namespace {

namespace fs = std::filesystem;

// What tokenizers are made of; the first two are tokenizers by themselves.
constexpr std::array<const char*, 5> kTokenizerFiles = {
    "tokenizer.json", "tokenizer.model", "tokenizer_config.json", "special_tokens_map.json",
    "added_tokens.json"};

void copy_one(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
  if (error) {
    throw FileError(
        fmt::format("cannot copy {} to {}: {}", from.string(), to.string(), error.message()));
  }
}

}  // namespace

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

bool holds_tokenizer(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / kTokenizerFiles[0], error) ||
         fs::exists(folder / kTokenizerFiles[1], error);
}

int copy_tokenizer_files(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_directories(to, error);
  if (error) throw FileError(fmt::format("cannot make {}: {}", to.string(), error.message()));
  if (!fs::is_directory(from, error)) {
    check(from.extension() != ".bin", "{}: a llama2.c tokenizer has no place in a model's folder",
          from.string());
    copy_one(from, to / (from.extension() == ".json" ? kTokenizerFiles[0] : kTokenizerFiles[1]));
    return 1;
  }
  int copied = 0;
  for (const char* name : kTokenizerFiles) {
    if (!fs::is_regular_file(from / name, error)) continue;
    copy_one(from / name, to / name);
    ++copied;
  }
  return copied;
}

std::string text_of_ids(const Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
  std::vector<TokenId> known = ids;
  std::erase_if(known, [&](TokenId id) { return id >= tokenizer.size(); });
  return tokenizer.decode(known, Specials::kSkip);
}

}  // namespace rgu::llm
