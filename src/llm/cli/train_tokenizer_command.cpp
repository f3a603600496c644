// rgu lm train-tokenizer: a byte-level BPE of one's own.
#include <fmt/format.h>

#include <array>
#include <memory>

#include "rgu/base/check.hpp"
#include "rgu/base/text_file.hpp"
#include "rgu/cli/terminal.hpp"
#include "rgu/llm/cli/lm_command.hpp"
#include "rgu/llm/cli/prompts.hpp"
#include "rgu/llm/files/output_folder.hpp"
#include "rgu/llm/text/bpe_trainer.hpp"
#include "rgu/record/json_values.hpp"

namespace rgu::llm {
namespace {

namespace fs = std::filesystem;

struct TrainTokenizerArguments {
  std::vector<std::string> files;
  BpeTrainerOptions options;
  std::string out;
  bool force = false;
  bool json = false;
};

// The fields of JSON lines that hold text, in any of the schemas that training reads.
constexpr std::array<const char*, 7> kTextFields = {
    "text", "prompt", "response", "response_0", "response_1", "chosen", "rejected"};

void add_objects(const std::vector<InputLine>& lines, WordCounts& words) {
  for (const InputLine& line : lines) {
    const nlohmann::json object = object_of(line);
    bool any = false;
    for (const char* field : kTextFields) {
      if (!object.contains(field)) continue;
      words.add(string_member(object, field, line.where));
      any = true;
    }
    check(any, "{}: has none of the fields {}", line.where, fmt::join(kTextFields, ", "));
  }
}

bool is_json_lines(const fs::path& file) {
  const bool compressed = file.extension() == ".gz" || file.extension() == ".xz";
  return (compressed ? file.stem() : file).extension() == ".jsonl";
}

WordCounts counted(const std::vector<std::string>& files) {
  WordCounts words;
  for (const std::string& file : files) {
    if (is_json_lines(file)) {
      add_objects(input_lines(file), words);
    } else {
      words.add(input_text(file));
    }
  }
  check(!words.counts().empty(), "the files hold no text to learn from");
  return words;
}

// What Python's transformers look for beside tokenizer.json.
void write_config(const BpeTrainerOptions& options, const fs::path& path) {
  Json config = {{"tokenizer_class", "PreTrainedTokenizerFast"}};
  const std::vector<std::string>& specials = options.special_tokens;
  if (!specials.empty()) {
    config["bos_token"] = specials[0];
    config["eos_token"] = specials[0];
  }
  if (specials.size() > 1) config["pad_token"] = specials[1];
  OutputFile file(path);
  file.text(to_text(config) + "\n");
  file.commit();
}

int train_tokenizer(const TrainTokenizerArguments& arguments) {
  check_free(arguments.out, arguments.force ? Existing::kReplace : Existing::kRefuse);
  const TrainedBpe trained = train_byte_level_bpe(counted(arguments.files), arguments.options);
  const fs::path folder = arguments.out;
  make_folder(folder);
  write_tokenizer_json(trained, folder / "tokenizer.json");
  write_config(arguments.options, folder / "tokenizer_config.json");
  if (arguments.json) {
    say_json(to_text(Json{{"folder", fs::absolute(folder).string()},
                          {"pieces", trained.pieces.size()},
                          {"merges", trained.merges.size()}}));
    return kDone;
  }
  say("{} pieces: {} special tokens, 256 bytes, {} merges\ntokenizer: {}\n", trained.pieces.size(),
      trained.special_tokens, trained.merges.size(), fs::proximate(folder).string());
  if (static_cast<std::int64_t>(trained.pieces.size()) < arguments.options.vocabulary) {
    say("fewer than asked for: no other pair occurs {} times\n", arguments.options.min_frequency);
  }
  return kDone;
}

}  // namespace

void add_train_tokenizer(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("train-tokenizer", "Learn a byte-level BPE tokenizer from text");
  auto arguments = std::make_shared<TrainTokenizerArguments>();
  command
      ->add_option(
          "files", arguments->files,
          "Text, or JSON lines with text, prompt, response, .. (.gz, .xz; - is standard input)")
      ->required()
      ->type_name("FILES");
  command
      ->add_option("--vocabulary", arguments->options.vocabulary,
                   "Pieces at most, special tokens and the 256 bytes included")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--min-frequency", arguments->options.min_frequency,
                   "A pair must occur this often to become a piece")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--special", arguments->options.special_tokens,
                   "Special tokens, the first ids: end of text, padding, others")
      ->type_name("TOKENS")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--out,-o", arguments->out, "Folder to write")->required()->type_name("DIR");
  command->add_flag("--force", arguments->force, "Write into a folder that is not empty");
  command->add_flag("--json", arguments->json, "Print what was done as JSON");
  command->footer(
      "Writes tokenizer.json and tokenizer_config.json, as Python's tokenizers and transformers "
      "read "
      "them.\n\n"
      "Example:\n"
      "  rgu lm train-tokenizer book.txt --vocabulary 2000 --out tokenizer");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return train_tokenizer(*arguments); }; });
}

}  // namespace rgu::llm
