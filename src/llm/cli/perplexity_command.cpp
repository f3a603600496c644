// rgu lm perplexity: how well a model predicts text.
#include <fmt/format.h>

#include <memory>

#include "rgu/base/check.hpp"
#include "rgu/cli/interrupt.hpp"
#include "rgu/cli/table.hpp"
#include "rgu/cli/terminal.hpp"
#include "rgu/llm/cli/evaluation_arguments.hpp"
#include "rgu/llm/cli/lm_command.hpp"
#include "rgu/llm/cli/lm_progress.hpp"
#include "rgu/llm/cli/prompts.hpp"
#include "rgu/llm/text/language_data.hpp"
#include "rgu/record/json_values.hpp"

namespace rgu::llm {
namespace {

struct PerplexityArguments {
  ModelArguments model;
  std::vector<std::string> files;
  std::int64_t length = 0;  // 0: as the model's positions, at most 512
  std::int64_t stride = 0;  // 0: as the length
  EvaluationArguments run;
  OutputArguments output;
};

struct TokenText {
  std::vector<TokenId> tokens = {};
  std::int64_t bytes = 0;
};

bool is_json_lines(const std::string& file) {
  for (const char* ending : {".jsonl", ".jsonl.gz", ".jsonl.xz"}) {
    if (file.ends_with(ending)) return true;
  }
  return false;
}

TokenText text_of(const std::string& file, const Tokenizer& tokenizer) {
  if (!is_json_lines(file)) {
    const std::string text = input_text(file);
    return {.tokens = tokenizer.encode(text), .bytes = static_cast<std::int64_t>(text.size())};
  }
  const std::filesystem::path path = file;
  LanguageData data = read_language_data(std::span(&path, 1), tokenizer);
  check(data.pairs.empty(), "{}: holds prompts with responses; perplexity is of \"text\"", file);
  return {.tokens = std::move(data.stream), .bytes = data.bytes};
}

PerplexityOptions options_of(const PerplexityArguments& arguments, const ModelConfig& config) {
  PerplexityOptions options;
  options.window =
      arguments.length > 0 ? arguments.length : std::min<std::int64_t>(512, config.max_positions);
  options.stride = arguments.stride > 0 ? arguments.stride : options.window;
  options.run = arguments.run.chosen();
  check_options(options);
  return options;
}

Json facts_of(const std::string& file, const Perplexity& result, std::int64_t bytes) {
  return {{"file", file},
          {"tokens", result.tokens},
          {"bytes", bytes},
          {"loss", result.mean()},
          {"perplexity", result.perplexity()},
          {"bits_per_byte", result.bits_per_byte(bytes)}};
}

void print(const Json& results) {
  std::vector<TableRow> rows = {{"file", "tokens", "loss", "perplexity", "bits per byte"}};
  for (const Json& result : results) {
    rows.push_back({result["file"].get<std::string>(),
                    std::to_string(result["tokens"].get<std::int64_t>()),
                    fmt::format("{:.4f}", result["loss"].get<double>()),
                    short_number(result["perplexity"].get<double>()),
                    fmt::format("{:.4f}", result["bits_per_byte"].get<double>())});
  }
  say("{}", Lines{table(rows)});
}

int measure(const PerplexityArguments& arguments) {
  const ModelFiles model = open_model(arguments.model.model);
  const std::optional<AdapterFiles> adapter = arguments.model.open_adapter_files();
  const std::unique_ptr<Tokenizer> tokenizer = arguments.model.open_tokenizer_for(model);
  PerplexityOptions options = options_of(arguments, model.config);
  Json results = Json::array();
  Perplexity total;
  std::int64_t bytes = 0;
  for (const std::string& file : arguments.files) {
    const TokenText text = text_of(file, *tokenizer);
    check(text.tokens.size() >= 2, "{}: has {} tokens; perplexity needs 2 at least", file,
          text.tokens.size());
    LmProgress progress(arguments.output.quiet ? LmProgress::Style::kQuiet
                                               : LmProgress::Style::kAuto);
    options.run.observe = [&](const EvaluationOptions::Progress& news) {
      progress.show({.done = news.done, .total = news.all, .text = "windows of " + file});
      return !interrupt_flag();
    };
    const Perplexity result = perplexity(model, adapter, text.tokens, options);
    if (!result.complete) return kInterrupted;
    results.push_back(facts_of(file, result, text.bytes));
    total.tokens += result.tokens;
    total.negative_log_likelihood += result.negative_log_likelihood;
    bytes += text.bytes;
  }
  if (arguments.files.size() > 1) results.push_back(facts_of("all", total, bytes));
  if (arguments.output.json) {
    say_json(to_text(results));
  } else {
    print(results);
  }
  return kDone;
}

}  // namespace

void add_perplexity(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("perplexity", "How well a model predicts text");
  auto arguments = std::make_shared<PerplexityArguments>();
  arguments->model.add_to(*command);
  command
      ->add_option("files", arguments->files,
                   "Text, or JSON lines with \"text\" (.gz, .xz; - is standard input)")
      ->required()
      ->type_name("FILES");
  command
      ->add_option("--length", arguments->length,
                   "Tokens a prediction may look back at (default: 512, or the model's positions)")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  command
      ->add_option(
          "--stride", arguments->stride,
          "Windows begin this far apart; smaller: longer contexts, slower (default: length)")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  arguments->run.add_to(*command, "Windows");
  arguments->output.add_to(*command);
  command->footer(
      "perplexity = exp(mean of -log p(token | those before it)), over all tokens but the first. "
      "Of "
      "JSON\n"
      "lines, the texts are read one after the other, each followed by the end-of-text token, as "
      "in "
      "training.\n\n"
      "Example:\n"
      "  rgu lm perplexity runs/small book.txt --length 256 --stride 128");
  command->callback([arguments, &chosen] { chosen = [arguments] { return measure(*arguments); }; });
}

}  // namespace rgu::llm
