// rgu lm train-scorer: a reward or cost model from preferences.
#include <fmt/format.h>

#include <memory>

#include "rgu/base/check.hpp"
#include "rgu/llm/cli/training_arguments.hpp"
#include "rgu/llm/cli/training_display.hpp"
#include "rgu/llm/text/preferences.hpp"
#include "rgu/llm/torch/scorer_training.hpp"

namespace rgu::llm {
namespace {

namespace fs = std::filesystem;

struct TrainScorerArguments {
  std::string kind;
  std::string model;
  std::string tokenizer;
  std::vector<std::string> preferences;
  ScorerTrainingOptions options;
  LoraArguments lora;
  RunArguments run;
};

CommandFile file_of(const TrainScorerArguments& arguments) {
  check(!arguments.kind.empty(), "--kind is needed: reward or cost");
  check(!arguments.model.empty(), "--model is needed: what to begin with");
  check(!arguments.preferences.empty(), "--preferences is needed: files to learn from");
  Json preferences = Json::array();
  for (const std::string& path : arguments.preferences) {
    preferences.push_back(absolute_or_empty(path));
  }
  ScorerTrainingOptions described = arguments.options;
  described.type = arguments.kind == "cost" ? ScoreType::kCost : ScoreType::kReward;
  Json options = Json::object();
  describe_scorer_training(OptionWriter{options}, described);
  return {.folder = arguments.run.out,
          .content = {{"command", "train-scorer"},
                      {"model", absolute_or_empty(arguments.model)},
                      {"tokenizer", absolute_or_empty(arguments.tokenizer)},
                      {"preferences", preferences},
                      {"options", options},
                      {"adapter", json_of(arguments.lora.config())},
                      {"report_interval", arguments.run.report_interval}},
          .before = {}};
}

// All that command.json names, read.
struct Prepared {
  ScorerTrainingOptions options = {};
  ModelFiles start = {};
  fs::path tokenizer_path = {};
  std::unique_ptr<Tokenizer> tokenizer = {};
  std::vector<PreferencePair> pairs = {};
};

ScorerTrainingOptions options_of(const CommandFile& file) {
  ScorerTrainingOptions options;
  describe_scorer_training(file.reader(file.content.value("options", Json())), options);
  options.training.adapter = adapter_from(file.content.value("adapter", Json()), file.name());
  check_options(options);
  return options;
}

Prepared prepare(const CommandFile& file) {
  Prepared prepared;
  prepared.options = options_of(file);
  const ModelArguments model = {
      .model = file.words("model"), .adapter = {}, .tokenizer = file.words("tokenizer")};
  prepared.start = open_model(model.model);
  prepared.tokenizer = model.open_tokenizer_for(prepared.start);
  prepared.tokenizer_path =
      model.tokenizer.empty() ? prepared.start.folder : fs::path(model.tokenizer);
  for (const std::string& path : file.word_list_at("preferences")) {
    for (PreferencePair& pair : read_preferences(path)) prepared.pairs.push_back(std::move(pair));
  }
  return prepared;
}

int train(const TrainScorerArguments& arguments, const CLI::App& command) {
  arguments.run.check(command);
  const auto train_from = [&](const CommandFile& file, const Prepared& prepared,
                              ExistingTraining existing) {
    return train_and_tell(file, file.target(existing, prepared.tokenizer_path),
                          arguments.run.output,
                          [&](const TrainingTarget& where, const TrainingObserver& observe) {
                            return train_scorer(prepared.start, *prepared.tokenizer, prepared.pairs,
                                                prepared.options, where, observe);
                          });
  };
  return run_training(
      arguments.run, "train-scorer", [&] { return file_of(arguments); }, prepare, train_from);
}

}  // namespace

void add_train_scorer(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("train-scorer", "Train a reward or cost model on preferences");
  auto arguments = std::make_shared<TrainScorerArguments>();
  command
      ->add_option("--kind", arguments->kind, "reward: higher is better; cost: above 0 is unsafe")
      ->check(CLI::IsMember({"reward", "cost"}));
  command
      ->add_option("--model,-m", arguments->model,
                   "A language model, which gets a new score head, or a score model")
      ->type_name("MODEL");
  command
      ->add_option("--tokenizer", arguments->tokenizer,
                   "Its tokenizer (default: that in the model's folder)")
      ->type_name("PATH");
  command
      ->add_option("--preferences", arguments->preferences,
                   "JSON lines as of PKU-SafeRLHF or hh-rlhf (.gz, .xz)")
      ->type_name("FILES");
  arguments->lora.add_to(*command);
  describe_scorer_training(OptionAdder{*command}, arguments->options);
  arguments->run.add_to(*command);
  command->footer(
      "The score is that of the end-of-text token after prompt and answer. reward needs "
      "better_response_id\n"
      "(or chosen and rejected), cost needs safer_response_id and is_response_0_safe, _1_safe. "
      "Ctrl-C and\n"
      "--resume as in 'rgu lm train'.\n\n"
      "Examples:\n"
      "  rgu lm train-scorer --kind cost --model pythia-70m --preferences pairs.jsonl --out "
      "runs/cost\n"
      "  rgu lm train-scorer --resume runs/cost");
  command->callback([arguments, command, &chosen] {
    chosen = [arguments, command] { return train(*arguments, *command); };
  });
}

}  // namespace rgu::llm
