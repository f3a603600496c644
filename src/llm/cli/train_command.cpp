// rgu lm train: a language model, or an adapter to one, from text.
#include <fmt/format.h>

#include <memory>

#include "rgu/base/check.hpp"
#include "rgu/llm/cli/model_shape.hpp"
#include "rgu/llm/cli/training_arguments.hpp"
#include "rgu/llm/cli/training_display.hpp"
#include "rgu/llm/torch/language_training.hpp"

namespace rgu::llm {
namespace {

namespace fs = std::filesystem;

struct TrainArguments {
  ShapeArguments shape;
  std::string model;
  std::string tokenizer;
  std::vector<std::string> text;
  LanguageTrainingOptions options;
  LoraArguments lora;
  RunArguments run;
};

CommandFile file_of(const TrainArguments& arguments) {
  check(!arguments.text.empty(), "--text is needed: files to learn from");
  check(arguments.model.empty() != !arguments.shape.given(),
        "give --model to go on from its weights, or --size or --config to begin with random ones");
  check(arguments.lora.rank == 0 || !arguments.model.empty(),
        "--lora needs --model: an adapter to random weights learns little");
  Json text = Json::array();
  for (const std::string& path : arguments.text) text.push_back(absolute_or_empty(path));
  Json options = Json::object();
  describe_language_training(OptionWriter{options}, arguments.options);
  return {.folder = arguments.run.out,
          .content = {{"command", "train"},
                      {"model", absolute_or_empty(arguments.model)},
                      {"size", arguments.shape.size},
                      {"config", absolute_or_empty(arguments.shape.config)},
                      {"tokenizer", absolute_or_empty(arguments.tokenizer)},
                      {"text", text},
                      {"options", options},
                      {"adapter", json_of(arguments.lora.config())},
                      {"report_interval", arguments.run.report_interval}},
          .before = {}};
}

// All that command.json names, read.
struct Prepared {
  LanguageTrainingOptions options = {};
  ModelFiles start = {};
  fs::path tokenizer = {};
  LanguageData data = {};
};

LanguageTrainingOptions options_of(const CommandFile& file) {
  LanguageTrainingOptions options;
  describe_language_training(file.reader(file.content.value("options", Json())), options);
  options.training.adapter = adapter_from(file.content.value("adapter", Json()), file.name());
  check_options(options);
  return options;
}

Prepared prepare(const CommandFile& file) {
  Prepared prepared = {.options = options_of(file), .tokenizer = file.words("tokenizer")};
  const ModelArguments model = {
      .model = file.words("model"), .adapter = {}, .tokenizer = file.words("tokenizer")};
  const ShapeArguments shape = {.size = file.words("size"), .config = file.words("config")};
  std::unique_ptr<Tokenizer> tokenizer;
  if (!model.model.empty()) {
    prepared.start = open_model(model.model);
    tokenizer = model.open_tokenizer_for(prepared.start);
    if (prepared.tokenizer.empty()) prepared.tokenizer = prepared.start.folder;
  } else {
    check(!model.tokenizer.empty(),
          "--tokenizer is needed with --size and --config; 'rgu lm train-tokenizer' makes one");
    tokenizer = open_tokenizer(model.tokenizer);
    prepared.start.config = shape.shape(tokenizer.get());
    check(tokenizer->size() <= prepared.start.config.vocabulary,
          "{}: the tokenizer has {} tokens, the config a vocabulary of {}", model.tokenizer,
          tokenizer->size(), prepared.start.config.vocabulary);
    prepared.start = random_model(prepared.start.config, prepared.options.training.seed);
  }
  std::vector<fs::path> text;
  for (const std::string& path : file.word_list_at("text")) text.emplace_back(path);
  prepared.data = read_language_data(text, *tokenizer);
  return prepared;
}

int train(const TrainArguments& arguments, const CLI::App& command) {
  arguments.run.check(command);
  const auto train_from = [&](const CommandFile& file, const Prepared& prepared,
                              ExistingTraining existing) {
    return train_and_tell(file, file.target(existing, prepared.tokenizer), arguments.run.output,
                          [&](const TrainingTarget& where, const TrainingObserver& observe) {
                            return train_language_model(prepared.start, prepared.data,
                                                        prepared.options, where, observe);
                          });
  };
  return run_training(
      arguments.run, "train", [&] { return file_of(arguments); }, prepare, train_from);
}

}  // namespace

void add_train(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("train", "Train a language model, or an adapter to one, on text");
  auto arguments = std::make_shared<TrainArguments>();
  arguments->shape.add_to(*command);
  command->add_option("--model,-m", arguments->model, "Begin with the weights of this model")
      ->type_name("MODEL");
  command
      ->add_option("--tokenizer", arguments->tokenizer,
                   "Its tokenizer (default: that in the model's folder)")
      ->type_name("PATH");
  command
      ->add_option(
          "--text", arguments->text,
          "Files: plain text (one document), or JSON lines with \"text\", or with \"prompt\" "
          "and \"response\" (.gz, .xz)")
      ->type_name("FILES");
  arguments->lora.add_to(*command);
  describe_language_training(OptionAdder{*command}, arguments->options);
  arguments->run.add_to(*command);
  command->footer(
      "Of prompts with responses, only the response carries loss. Ctrl-C writes a checkpoint, from "
      "which\n"
      "--resume goes on: the weights are then the same, to the last bit, as without a stop. A run "
      "that is\n"
      "killed goes on from the last checkpoint of --checkpoint-interval.\n\n"
      "Examples:\n"
      "  rgu lm train --size 14m --tokenizer tokenizer --text book.txt --epochs 3 --out "
      "runs/small\n"
      "  rgu lm train --model pythia-70m --lora 16 --text chat.jsonl --learning-rate 1e-4 --out "
      "runs/lora\n"
      "  rgu lm train --resume runs/small");
  command->callback([arguments, command, &chosen] {
    chosen = [arguments, command] { return train(*arguments, *command); };
  });
}

}  // namespace rgu::llm
