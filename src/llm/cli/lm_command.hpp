// The commands of `rgu lm`: each adds itself to the parser and, when chosen, sets what is to be
// done.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rgu/cli/exit_code.hpp"
#include "rgu/cli/program.hpp"
#include "rgu/llm/files/model_files.hpp"
#include "rgu/llm/text/tokenizer.hpp"

namespace rgu::llm {

void add_generate(CLI::App& app, Command& chosen);
void add_tokenize(CLI::App& app, Command& chosen);
void add_train_tokenizer(CLI::App& app, Command& chosen);
void add_info(CLI::App& app, Command& chosen);
void add_init(CLI::App& app, Command& chosen);
void add_merge_adapter(CLI::App& app, Command& chosen);

// These need LibTorch; without it they are listed, and say so when they are called.
void add_perplexity(CLI::App& app, Command& chosen);
void add_score(CLI::App& app, Command& chosen);
void add_train(CLI::App& app, Command& chosen);
void add_train_scorer(CLI::App& app, Command& chosen);

// What several commands share.
struct ModelArguments {
  std::string model;
  std::string adapter;
  std::string tokenizer;

  void add_to(CLI::App& command);
  ModelFiles open() const;  // with the adapter merged, if there is one
  std::optional<AdapterFiles> open_adapter_files() const;
  // That of --tokenizer, otherwise the one in the model's folder. Throws InvalidInput if there is
  // none, or if it has ids that the model does not have.
  std::unique_ptr<Tokenizer> open_tokenizer_for(const ModelFiles& files) const;
};

struct OutputArguments {
  bool json = false;
  bool quiet = false;

  void add_to(CLI::App& command);
};

// f32, f16 or bf16; empty: none.
std::optional<DataType> weight_type(const std::string& name);
void add_type_option(CLI::App& command, std::string& type, const std::string& meaning);

// Throws InvalidInput if there is something at `path`, but for an empty folder or where it may be
// written over.
enum class Existing { kRefuse, kReplace };
void check_free(const std::filesystem::path& path, Existing existing);

}  // namespace rgu::llm
