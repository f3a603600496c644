// The options of training: on the command line, and in command.json of a run's folder, from which
// --resume has them.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <type_traits>
#include <vector>

#include "rgu/base/check.hpp"
#include "rgu/llm/cli/lm_command.hpp"
#include "rgu/llm/torch/training_options.hpp"
#include "rgu/llm/torch/training_run.hpp"
#include "rgu/record/json_values.hpp"

namespace rgu::llm {

std::string_view schedule_name(Schedule schedule);
Schedule schedule_named(std::string_view name);  // throws InvalidInput

// "learning_rate" -> "--learning-rate".
std::string flag_of(std::string_view name);

// Visitors of the describe functions. Adds an option for each field.
struct OptionAdder {
  CLI::App& command;

  template <class Number>
  void operator()(const char* name, Number& value, const OptionRange&, const char* help) const {
    command.add_option(flag_of(name), value, help)->type_name("N")->capture_default_str();
  }
  template <class Number>
  void operator()(const char* name, std::optional<Number>& value, const OptionRange&,
                  const char* help) const {
    command
        .add_option_function<Number>(
            flag_of(name), [&value](const Number& given) { value = given; }, help)
        ->type_name("N");
  }
  void operator()(const char* name, Schedule& value, const char* help) const;
  void operator()(const char* name, std::string& value, const char* help) const;
  void operator()(const char*, ScoreType&, const char*) const {}  // --kind
};

// Puts every field into `json`.
struct OptionWriter {
  Json& json;

  template <class Number>
  void operator()(const char* name, const Number& value, const OptionRange&, const char*) const {
    json[name] = value;
  }
  template <class Number>
  void operator()(const char* name, const std::optional<Number>& value, const OptionRange&,
                  const char*) const {
    json[name] = value ? Json(*value) : Json(nullptr);
  }
  void operator()(const char* name, Schedule value, const char*) const {
    json[name] = schedule_name(value);
  }
  void operator()(const char* name, const std::string& value, const char*) const {
    json[name] = value;
  }
  void operator()(const char* name, ScoreType value, const char*) const {
    json[name] = value == ScoreType::kCost ? "cost" : "reward";
  }
};

// Takes every field from `json`. Throws InvalidInput, naming the file, where one is missing or no
// such value.
struct OptionReader {
  const Json& json;
  std::string where;

  template <class Number>
  void operator()(const char* name, Number& value, const OptionRange&, const char*) const {
    value = number_at<Number>(name);
  }
  template <class Number>
  void operator()(const char* name, std::optional<Number>& value, const OptionRange&,
                  const char*) const {
    value.reset();
    if (!at(name).is_null()) value = number_at<Number>(name);
  }
  void operator()(const char* name, Schedule& value, const char*) const {
    value = schedule_named(words_at(name));
  }
  void operator()(const char* name, std::string& value, const char*) const {
    value = words_at(name);
  }
  void operator()(const char* name, ScoreType& value, const char*) const {
    value = words_at(name) == "cost" ? ScoreType::kCost : ScoreType::kReward;
  }

  const Json& at(const char* name) const;
  std::string words_at(const char* name) const;
  template <class Number>
  Number number_at(const char* name) const {
    check_number(name, std::is_integral_v<Number>);
    return at(name).get<Number>();
  }
  void check_number(const char* name, bool whole) const;
};

// --lora and what belongs to it.
struct LoraArguments {
  std::int64_t rank = 0;  // 0: no adapter
  double alpha = 0;       // 0: as the rank
  double dropout = 0;
  std::vector<std::string> targets;

  void add_to(CLI::App& command);
  std::optional<AdapterConfig> config() const;  // throws InvalidInput
};
Json json_of(const std::optional<AdapterConfig>& adapter);
std::optional<AdapterConfig> adapter_from(const Json& json, const std::string& where);

// Where a run is written, and how it is told.
struct RunArguments {
  std::string out;
  std::string resume;
  bool force = false;
  std::int64_t report_interval = 1;
  OutputArguments output;

  void add_to(CLI::App& command);
  // Throws InvalidInput unless there is --out or --resume, and if with --resume there is anything
  // else that command.json has.
  void check(const CLI::App& command) const;
};

// FOLDER/command.json: what was asked for.
struct CommandFile {
  std::filesystem::path folder;
  Json content = Json::object();
  std::string before = {};  // the text of the file that begin() replaced

  static CommandFile read(const std::filesystem::path& folder, std::string_view command);
  std::string name() const { return (folder / "command.json").string(); }
  // Throws InvalidInput if there is something in the folder that is no training run, or is one and
  // may not be replaced. Returns how the training is to begin.
  ExistingTraining check_free(bool force) const;
  void begin();           // makes the folder and writes the file
  void withdraw() const;  // undoes that, where training has refused to begin

  OptionReader reader(const Json& options) const { return {options, name()}; }
  std::string words(const char* key) const;  // empty where there is null
  std::vector<std::string> word_list_at(const char* key) const;
  // Where a training goes that begins with `tokenizer` and the model that the file names.
  TrainingTarget target(ExistingTraining existing, const std::filesystem::path& tokenizer) const;
};

// What `train` and `train-scorer` have in common. With --resume the command file of the run is
// read; otherwise it is `made()`, and the folder must be free. Then prepare(file) reads all that
// the file names, and train(file, prepared, existing) trains. A training that refuses to begin
// leaves no folder behind.
template <class Make, class Prepare, class Train>
int run_training(const RunArguments& run, std::string_view name, Make made, Prepare prepare,
                 Train train) {
  if (!run.resume.empty()) {
    const CommandFile file = CommandFile::read(run.resume, name);
    return train(file, prepare(file), ExistingTraining::kResume);
  }
  CommandFile file = made();
  const ExistingTraining existing = file.check_free(run.force);
  const auto prepared = prepare(file);
  file.begin();
  try {
    return train(file, prepared, existing);
  } catch (const InvalidInput&) {
    file.withdraw();
    throw;
  }
}

std::string absolute_or_empty(const std::string& path);

}  // namespace rgu::llm
