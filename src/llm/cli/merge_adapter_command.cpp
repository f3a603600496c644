// rgu lm merge-adapter: a model with an adapter as one model.
#include <fmt/format.h>

#include <memory>

#include "rgu/base/check.hpp"
#include "rgu/cli/terminal.hpp"
#include "rgu/llm/cli/lm_command.hpp"
#include "rgu/llm/text/tokenizer_files.hpp"
#include "rgu/record/json_values.hpp"

namespace rgu::llm {
namespace {

namespace fs = std::filesystem;

struct MergeArguments {
  std::string model;
  std::string adapter;
  std::string out;
  std::string type;
  bool subtract = false;
  bool force = false;
  bool json = false;
};

// The type that the model's matrices have; what cannot be written is rounded to F32.
DataType type_of(const ModelFiles& model) {
  for (const auto& [name, tensor] : model.weights.tensors) {
    if (tensor.shape.size() < 2) continue;
    if (tensor.type == DataType::kF16 || tensor.type == DataType::kBF16) return tensor.type;
  }
  return DataType::kF32;
}

int merge_adapter_into(const MergeArguments& arguments) {
  check_free(arguments.out, arguments.force ? Existing::kReplace : Existing::kRefuse);
  const ModelFiles model = open_model(arguments.model);
  const AdapterFiles adapter = open_adapter(arguments.adapter);
  const MergeSign sign = arguments.subtract ? MergeSign::kSubtract : MergeSign::kAdd;
  const Weights weights = merged(model.config, model.weights, adapter, sign);
  const DataType type = weight_type(arguments.type).value_or(type_of(model));
  save_model(model.config, weights, arguments.out, {.type = type});
  // An adapter trained with a tokenizer of its own brings it along.
  const bool own = holds_tokenizer(arguments.adapter);
  const fs::path tokenizer = own ? fs::path(arguments.adapter) : model.folder;
  const int copied =
      holds_tokenizer(tokenizer) ? copy_tokenizer_files(tokenizer, arguments.out) : 0;
  const std::size_t modules = adapted_modules(model.config, adapter.config.target_modules).size();
  if (arguments.json) {
    say_json(to_text(Json{{"folder", fs::absolute(arguments.out).string()},
                          {"type", name_of(type)},
                          {"rank", adapter.config.rank},
                          {"scaling", adapter.config.scaling()},
                          {"modules", modules},
                          {"tokenizer_files", copied}}));
    return kDone;
  }
  say("{} an adapter of rank {} {} {} modules, scaling {:g}; written as {}{}\nmodel: {}\n",
      arguments.subtract ? "took" : "merged", adapter.config.rank,
      arguments.subtract ? "out of" : "into", modules, adapter.config.scaling(), name_of(type),
      copied > 0 ? ", with the tokenizer" : "", fs::proximate(arguments.out).string());
  return kDone;
}

}  // namespace

void add_merge_adapter(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("merge-adapter", "Write a model with its adapter as one model");
  auto arguments = std::make_shared<MergeArguments>();
  command->add_option("model", arguments->model, "The base model")->required()->type_name("MODEL");
  command->add_option("adapter", arguments->adapter, "Folder of the adapter")
      ->required()
      ->type_name("ADAPTER");
  command->add_option("--out,-o", arguments->out, "Folder to write")->required()->type_name("DIR");
  add_type_option(*command, arguments->type, "Of the weights (default: as the model's)");
  command->add_flag("--subtract", arguments->subtract, "Take a merged adapter out again");
  command->add_flag("--force", arguments->force, "Write into a folder that is not empty");
  command->add_flag("--json", arguments->json, "Print what was done as JSON");
  command->footer(
      "Each adapted weight becomes W + (alpha / rank) B A, rounded once, to --type.\n\n"
      "Example:\n"
      "  rgu lm merge-adapter pythia-70m runs/lora --out merged");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return merge_adapter_into(*arguments); }; });
}

}  // namespace rgu::llm
