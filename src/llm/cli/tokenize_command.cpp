// rgu lm tokenize: text to token ids and back.
#include <fmt/format.h>

#include <memory>

#include "rgu/base/check.hpp"
#include "rgu/cli/terminal.hpp"
#include "rgu/llm/cli/lm_command.hpp"
#include "rgu/llm/cli/prompts.hpp"
#include "rgu/record/json_values.hpp"

namespace rgu::llm {
namespace {

struct TokenizeArguments {
  std::string tokenizer;
  std::vector<std::string> texts;
  std::string file;
  bool lines = false;
  bool ids = false;
  bool pieces = false;
  bool count = false;
  std::string decode;
  bool json = false;
};

std::vector<std::string> texts_of(const TokenizeArguments& arguments) {
  check(arguments.texts.empty() || arguments.file.empty(), "give texts or --file, not both");
  if (!arguments.texts.empty()) return arguments.texts;
  const std::string file = arguments.file.empty() ? "-" : arguments.file;
  if (!arguments.lines) return {input_text(file)};
  std::vector<std::string> texts;
  for (InputLine& line : input_lines(file)) texts.push_back(std::move(line.text));
  return texts;
}

std::vector<std::string> pieces_of(const Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
  std::vector<std::string> pieces;
  for (const TokenId id : ids) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void print_tokens(const TokenizeArguments& arguments, const Tokenizer& tokenizer,
                  const std::string& text) {
  const std::vector<TokenId> ids = tokenizer.encode(text);
  const bool all = arguments.json && !arguments.ids && !arguments.pieces && !arguments.count;
  Json json = Json::object();
  if (all || arguments.count) {
    json["tokens"] = ids.size();
    json["bytes"] = text.size();
  }
  if (all || arguments.ids) json["ids"] = ids;
  if (all || arguments.pieces) json["pieces"] = pieces_of(tokenizer, ids);
  if (arguments.json) {
    say_json(json_line(json));
    return;
  }
  if (arguments.count) say("{}\n", ids.size());
  if (arguments.ids || (!arguments.count && !arguments.pieces)) {
    say("{}\n", fmt::join(ids, " "));
  }
  if (arguments.pieces) {
    say_contents(fmt::format("{}\n", fmt::join(pieces_of(tokenizer, ids), " ")));
  }
}

int tokenize(const TokenizeArguments& arguments) {
  const std::unique_ptr<Tokenizer> tokenizer = open_tokenizer(arguments.tokenizer);
  if (!arguments.decode.empty()) {
    const std::string text =
        tokenizer->decode(token_ids(arguments.decode, "--decode"), Specials::kKeep);
    if (arguments.json) {
      say_json(json_line({{"text", text}}));
    } else {
      say_contents(text + '\n');
    }
    return kDone;
  }
  for (const std::string& text : texts_of(arguments)) print_tokens(arguments, *tokenizer, text);
  return kDone;
}

}  // namespace

void add_tokenize(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("tokenize", "Text to token ids and back");
  auto arguments = std::make_shared<TokenizeArguments>();
  command
      ->add_option("tokenizer", arguments->tokenizer,
                   "tokenizer.json, tokenizer.model, a llama2.c tokenizer, or a folder with one")
      ->required()
      ->type_name("TOKENIZER");
  command->add_option("text", arguments->texts, "Texts (default: standard input)")
      ->type_name("TEXT");
  command->add_option("--file,-f", arguments->file, "The text of a file (.gz, .xz)")
      ->type_name("FILE");
  command->add_flag("--lines", arguments->lines,
                    "Each line of the input is a text; empty ones are left out");
  command->add_flag("--ids", arguments->ids, "Print the ids (the default)");
  command->add_flag("--pieces", arguments->pieces, "Print the pieces as the tokenizer stores them");
  command->add_flag("--count", arguments->count, "Print the number of tokens");
  command->add_option("--decode", arguments->decode, "Print the text of these ids: '5 17 3'")
      ->type_name("IDS");
  command->add_flag("--json", arguments->json,
                    "One JSON object a text: tokens, bytes, ids, pieces (those asked for)");
  command->footer(
      "A file or standard input is one text, its last line break included, unless --lines is "
      "given.\n\n"
      "Examples:\n"
      "  rgu lm tokenize pythia-70m 'Hello world'\n"
      "  rgu lm tokenize pythia-70m --file book.txt --count\n"
      "  rgu lm tokenize pythia-70m --decode '12092 1533'");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return tokenize(*arguments); }; });
}

}  // namespace rgu::llm
