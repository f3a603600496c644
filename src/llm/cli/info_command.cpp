// rgu lm info: what a model, an adapter or a tokenizer is.
#include <fmt/format.h>

#include <map>
#include <memory>

#include "rgu/base/check.hpp"
#include "rgu/cli/table.hpp"
#include "rgu/cli/terminal.hpp"
#include "rgu/llm/cli/lm_command.hpp"
#include "rgu/llm/files/json_text.hpp"
#include "rgu/llm/files/parameters.hpp"
#include "rgu/llm/files/safetensors.hpp"
#include "rgu/llm/text/tokenizer_files.hpp"
#include "rgu/record/json_values.hpp"

namespace rgu::llm {
namespace {

namespace fs = std::filesystem;

struct InfoArguments {
  std::string path;
  bool tensors = false;
  bool json = false;
};

std::string_view name_of_architecture(Architecture architecture) {
  return architecture == Architecture::kLlama ? "llama" : "gpt_neox";
}

std::string_view name_of_score(ScoreType type) {
  if (type == ScoreType::kCost) return "cost";
  return type == ScoreType::kReward ? "reward" : "critic";
}

Json tensor_list(const Weights& weights) {
  Json list = Json::array();
  for (const auto& [name, tensor] : weights.tensors) {
    list.push_back({{"name", name},
                    {"type", name_of(tensor.type)},
                    {"shape", tensor.shape},
                    {"bytes", tensor.bytes.size()}});
  }
  return list;
}

Json weight_facts(const Weights& weights) {
  std::map<std::string, std::int64_t> types;
  std::int64_t elements = 0;
  std::size_t bytes = 0;
  for (const auto& [name, tensor] : weights.tensors) {
    const std::int64_t count = element_count(tensor.shape);
    types[std::string(name_of(tensor.type))] += count;
    elements += count;
    bytes += tensor.bytes.size();
  }
  return {{"tensors", weights.tensors.size()},
          {"elements", elements},
          {"bytes", bytes},
          {"types", types}};
}

Json shape_facts(const ModelConfig& config) {
  Json facts = {{"architecture", name_of_architecture(config.architecture)},
                {"layers", config.layers},
                {"hidden", config.hidden},
                {"heads", config.heads},
                {"key_value_heads", config.key_value_heads},
                {"intermediate", config.intermediate},
                {"vocabulary", config.vocabulary},
                {"max_positions", config.max_positions},
                {"rotary_size", config.rotary_size()},
                {"tied_embeddings", config.tied_embeddings},
                {"bos", config.bos},
                {"eos", config.eos}};
  if (config.score) facts["score"] = name_of_score(config.score->type);
  return facts;
}

// What is wrong with the weights for the head that the config asks for; empty: nothing.
std::string problem_of(const ModelConfig& config, const Weights& weights,
                       const std::string& where) {
  try {
    check_weights(config, config.score ? Head::kScore : Head::kLanguage, weights, where);
    return {};
  } catch (const InvalidInput& error) {
    return error.what();
  }
}

Json tokenizer_facts(const fs::path& path) {
  const std::unique_ptr<Tokenizer> tokenizer = open_tokenizer(path);
  const SpecialTokens specials = tokenizer->specials();
  const auto special = [&](const std::optional<TokenId>& id) -> Json {
    if (!id) return nullptr;
    return {{"id", *id}, {"piece", tokenizer->piece(*id)}};
  };
  return {{"kind", "tokenizer"},
          {"size", tokenizer->size()},
          {"bos", special(specials.bos)},
          {"eos", special(specials.eos)},
          {"pad", special(specials.pad)}};
}

// A folder whose weights may not fit its config, which open_model would refuse.
ModelFiles model_as_it_is(const fs::path& path) {
  if (!fs::is_directory(path)) return open_model(path);
  ModelFiles model = {.config = read_model_config(path), .folder = path};
  const fs::path index = path / "model.safetensors.index.json";
  model.weights =
      fs::exists(index) ? read_sharded(index) : read_safetensors(path / "model.safetensors");
  return model;
}

Json model_facts(const fs::path& path) {
  const ModelFiles model = model_as_it_is(path);
  const Head head = model.config.score ? Head::kScore : Head::kLanguage;
  Json facts = {{"kind", model.config.score ? "score model" : "language model"}};
  facts.update(shape_facts(model.config));
  facts["parameters"] = parameter_count(model.config, head);
  facts["weights"] = weight_facts(model.weights);
  facts["tokenizer"] = holds_tokenizer(model.folder);
  const std::string problem = problem_of(model.config, model.weights, path.string());
  facts["problem"] = problem.empty() ? Json(nullptr) : Json(problem);
  facts["tensor_list"] = tensor_list(model.weights);
  return facts;
}

Json adapter_facts(const fs::path& path) {
  const AdapterFiles adapter = open_adapter(path);
  return {{"kind", "adapter"},
          {"rank", adapter.config.rank},
          {"alpha", adapter.config.alpha},
          {"dropout", adapter.config.dropout},
          {"target_modules", adapter.config.target_modules},
          {"modules_to_save", adapter.config.modules_to_save},
          {"base_model", adapter.config.base_model},
          {"weights", weight_facts(adapter.weights)},
          {"tokenizer", holds_tokenizer(path)},
          {"tensor_list", tensor_list(adapter.weights)}};
}

// Tensors without a config: an adapter's file, a checkpoint, a part of a model.
Json tensor_facts(const fs::path& path) {
  const Weights weights = read_safetensors(path);
  return {{"kind", "tensors"},
          {"weights", weight_facts(weights)},
          {"metadata", weights.metadata},
          {"tensor_list", tensor_list(weights)}};
}

bool has_config(const fs::path& file) {
  const fs::path folder = file.parent_path();
  return fs::exists(folder / "config.json") ||
         fs::exists(folder / (file.stem().string() + "_config.json"));
}

Json file_facts(const fs::path& path) {
  const std::string extension = path.extension().string();
  if (extension == ".json" || extension == ".model") return tokenizer_facts(path);
  if (extension == ".safetensors") return has_config(path) ? model_facts(path) : tensor_facts(path);
  check(extension == ".bin",
        "{}: is no folder, .safetensors, .bin, .json or .model file: what is it?", path.string());
  try {
    return model_facts(path);
  } catch (const InvalidInput&) {  // tokenizers of llama2.c end in .bin too
    try {
      return tokenizer_facts(path);
    } catch (const InvalidInput&) {
    }
    throw;
  }
}

Json facts_of(const fs::path& path) {
  std::error_code error;
  check(fs::exists(path, error), "{}: no such file or folder", path.string());
  if (!fs::is_directory(path)) return file_facts(path);
  if (fs::exists(path / "adapter_config.json")) return adapter_facts(path);
  if (fs::exists(path / "config.json")) return model_facts(path);
  check(holds_tokenizer(path),
        "{}: holds neither a model (config.json) nor an adapter (adapter_config.json) nor a "
        "tokenizer (tokenizer.json, tokenizer.model)",
        path.string());
  return tokenizer_facts(path);
}

std::string plain(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return "none";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_array()) {
    std::string text;
    for (const Json& entry : value) text += (text.empty() ? "" : ", ") + plain(entry);
    return text.empty() ? "none" : text;
  }
  if (value.is_object() && value.contains("piece")) {
    return fmt::format("{} ({})", in_quotes(value["piece"].get<std::string>()),
                       value["id"].get<TokenId>());
  }
  return value.dump();
}

std::string weights_text(const Json& weights) {
  std::string types;
  for (const auto& [type, count] : weights["types"].items()) {
    types += fmt::format("{}{} {}", types.empty() ? "" : ", ", count.get<std::int64_t>(), type);
  }
  return fmt::format("{} tensors, {:.1f} MB: {}", weights["tensors"].get<std::size_t>(),
                     weights["bytes"].get<double>() / 1e6, types.empty() ? "nothing" : types);
}

void print(const Json& facts, bool tensors) {
  for (const auto& [key, value] : facts.items()) {
    if (key == "tensor_list") continue;
    if (key == "problem" && value.is_null()) continue;
    std::string name = key;
    for (char& letter : name) letter = letter == '_' ? ' ' : letter;
    say("{:<17}{}\n", name, key == "weights" ? weights_text(value) : plain(value));
  }
  if (!tensors || !facts.contains("tensor_list")) return;
  std::vector<TableRow> rows = {{"tensor", "type", "shape", "bytes"}};
  for (const Json& tensor : facts["tensor_list"]) {
    rows.push_back({tensor["name"].get<std::string>(), tensor["type"].get<std::string>(),
                    text_of(tensor["shape"].get<TensorShape>()),
                    std::to_string(tensor["bytes"].get<std::size_t>())});
  }
  say("\n{}", Lines{table(rows)});
}

int info(const InfoArguments& arguments) {
  Json facts = facts_of(arguments.path);
  const bool sound = !facts.contains("problem") || facts["problem"].is_null();
  if (!arguments.json) {
    print(facts, arguments.tensors);
  } else {
    if (!arguments.tensors) facts.erase("tensor_list");
    say_json(to_text(facts));
  }
  return sound ? kDone : kBadInput;
}

}  // namespace

void add_info(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("info", "What a model, an adapter or a tokenizer is");
  auto arguments = std::make_shared<InfoArguments>();
  command
      ->add_option("path", arguments->path,
                   "Folder of a model, an adapter or a tokenizer, or one of their files")
      ->required()
      ->type_name("PATH");
  command->add_flag("--tensors", arguments->tensors, "List every tensor");
  command->add_flag("--json", arguments->json, "Print as JSON");
  command->footer(
      "Where the weights do not fit the config, the line 'problem' names the tensors that are "
      "missing,\n"
      "unexpected or of the wrong shape, and the exit code is 2.\n\n"
      "Examples:\n"
      "  rgu lm info pythia-70m\n"
      "  rgu lm info runs/lora --tensors\n"
      "  rgu lm info tokenizer.json --json");
  command->callback([arguments, &chosen] { chosen = [arguments] { return info(*arguments); }; });
}

}  // namespace rgu::llm
