// rgu lm score: what a score model thinks of answers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "rgu/base/check.hpp"
#include "rgu/cli/interrupt.hpp"
#include "rgu/cli/table.hpp"
#include "rgu/cli/terminal.hpp"
#include "rgu/llm/cli/evaluation_arguments.hpp"
#include "rgu/llm/cli/lm_command.hpp"
#include "rgu/llm/cli/lm_progress.hpp"
#include "rgu/llm/cli/prompts.hpp"
#include "rgu/llm/text/preferences.hpp"
#include "rgu/record/json_values.hpp"

namespace rgu::llm {
namespace {

struct ScoreArguments {
  ModelArguments model;
  std::string file = "-";
  bool plain = false;
  std::int64_t max_length = 0;  // 0: the model's positions
  EvaluationArguments run;
  OutputArguments output;
};

struct ScoredText {
  Json input = {};  // the line as it was read
  std::string text = {};
};

ScoredText text_of(const InputLine& line, bool is_object, bool plain) {
  if (!is_object) return {.input = {{"text", line.text}}, .text = line.text};
  const nlohmann::json object = object_of(line);
  const std::string prompt = string_member(object, "prompt", line.where);
  // What 'rgu lm generate' writes has the answer as "text".
  const char* field = object.contains("response") || !object.contains("text") ? "response" : "text";
  const std::string response = string_member(object, field, line.where);
  return {.input = Json::parse(line.text),
          .text = (plain ? prompt : conversation_prompt(prompt)) + response};
}

std::vector<ScoredText> texts_of(const ScoreArguments& arguments) {
  const std::vector<InputLine> lines = input_lines(arguments.file);
  const bool objects = are_objects(lines);
  std::vector<ScoredText> texts;
  for (const InputLine& line : lines) texts.push_back(text_of(line, objects, arguments.plain));
  check(!texts.empty(), "{}: there is nothing to score",
        arguments.file == "-" ? "standard input" : arguments.file);
  return texts;
}

// Text and end-of-text token, whose score it is; the end of a longer text is cut off.
std::vector<std::vector<TokenId>> sequences_of(const std::vector<ScoredText>& texts,
                                               const Tokenizer& tokenizer, std::int64_t longest) {
  const std::optional<TokenId> eos = tokenizer.specials().eos;
  check(eos.has_value(), "the tokenizer has no end-of-text token, which scores are read at");
  std::vector<std::vector<TokenId>> sequences;
  for (const ScoredText& text : texts) {
    std::vector<TokenId> ids = tokenizer.encode(text.text);
    ids.resize(std::min(ids.size(), static_cast<std::size_t>(longest) - 1));
    ids.push_back(*eos);
    sequences.push_back(std::move(ids));
  }
  return sequences;
}

void print(const ScoredText& text, const std::vector<double>& score, bool json) {
  if (!json) {
    say("{:.6g}\n", fmt::join(score, " "));
    return;
  }
  Json line = text.input;
  line["score"] = score.size() == 1 ? Json(score[0]) : Json(score);
  say_json(line.dump(-1, ' ', false, Json::error_handler_t::replace));
}

// Mean and share above 0 of those that were scored.
std::string summary(const std::vector<std::vector<double>>& scores) {
  double sum = 0;
  std::int64_t count = 0;
  std::int64_t above = 0;
  for (const std::vector<double>& score : scores) {
    if (std::isnan(score[0])) continue;
    sum += score[0];
    above += score[0] > 0 ? 1 : 0;
    ++count;
  }
  const auto all = static_cast<double>(std::max<std::int64_t>(count, 1));
  return fmt::format("{} scores: mean {}, {:.1f}% above 0", count, short_number(sum / all),
                     100 * static_cast<double>(above) / all);
}

std::vector<std::vector<double>> scored(const ScoreArguments& arguments, const ModelFiles& model,
                                        const std::vector<std::vector<TokenId>>& sequences) {
  LmProgress progress(arguments.output.quiet ? LmProgress::Style::kQuiet
                                             : LmProgress::Style::kAuto);
  EvaluationOptions options = arguments.run.chosen();
  options.observe = [&](const EvaluationOptions::Progress& news) {
    progress.show({.done = news.done, .total = news.all, .text = "texts"});
    return !interrupt_flag();
  };
  return scores(model, arguments.model.open_adapter_files(), sequences, options);
}

int score(const ScoreArguments& arguments) {
  const ModelFiles model = open_model(arguments.model.model);
  const std::unique_ptr<Tokenizer> tokenizer = arguments.model.open_tokenizer_for(model);
  const std::int64_t most = model.config.max_positions;
  check(arguments.max_length <= most, "--max-length {}: the model has {} positions",
        arguments.max_length, most);
  const std::vector<ScoredText> texts = texts_of(arguments);
  const std::int64_t longest = arguments.max_length > 0 ? arguments.max_length : most;
  const std::vector<std::vector<double>> scores =
      scored(arguments, model, sequences_of(texts, *tokenizer, longest));
  bool whole = true;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (std::isnan(scores[i][0]) && interrupt_flag()) {
      whole = false;
    } else {
      print(texts[i], scores[i], arguments.output.json);
    }
  }
  if (!arguments.output.quiet) say(stderr, "{}\n", summary(scores));
  return whole ? kDone : kInterrupted;
}

}  // namespace

void add_score(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("score", "What a score model thinks of answers");
  auto arguments = std::make_shared<ScoreArguments>();
  arguments->model.add_to(*command);
  command
      ->add_option(
          "file", arguments->file,
          "JSON lines with \"prompt\" and \"response\", or lines of text (.gz, .xz; default: "
          "standard input)")
      ->type_name("FILE");
  command->add_flag("--plain", arguments->plain,
                    "Put prompts as they are, not wrapped as 'BEGINNING OF CONVERSATION: ..'");
  command
      ->add_option("--max-length", arguments->max_length,
                   "Cut longer texts off here (default: the model's positions)")
      ->type_name("N")
      ->check(CLI::Range(2, 1 << 24));
  arguments->run.add_to(*command, "Texts");
  arguments->output.add_to(*command);
  command->footer(
      "Prints one score a line, in the order of the input; with --json the input object with "
      "\"score\" added.\n"
      "What 'rgu lm generate --conversation --out' writes can be scored as it is.\n\n"
      "Examples:\n"
      "  rgu lm score runs/cost answers.jsonl --json\n"
      "  echo 'A text as it is' | rgu lm score runs/reward");
  command->callback([arguments, &chosen] { chosen = [arguments] { return score(*arguments); }; });
}

}  // namespace rgu::llm
