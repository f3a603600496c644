#include "rgu/llm/text/language_data.hpp"

#include <algorithm>
#include <string>

#include "rgu/base/check.hpp"
#include "rgu/llm/files/json_text.hpp"
#include "rgu/llm/text/json_part.hpp"
#include "rgu/llm/text/text_lines.hpp"

namespace rgu::llm {
namespace {

namespace fs = std::filesystem;

class Reader {
 public:
  explicit Reader(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {
    const std::optional<TokenId> eos = tokenizer.specials().eos;
    check(eos.has_value(), "the tokenizer has no end-of-sequence token, which documents end with");
    eos_ = *eos;
  }

  void read(const fs::path& file) {
    fs::path name = file.filename();
    if (name.extension() == ".gz" || name.extension() == ".xz") name = name.stem();
    if (name.extension() == ".jsonl") {
      read_json_lines(file);
    } else {
      read_text(file);
    }
  }

  LanguageData take() { return std::move(data_); }

 private:
  void read_text(const fs::path& file) {
    std::string text;
    TextLines lines(file);
    while (const auto line = lines.next()) {
      if (lines.number() > 1) text += '\n';
      text += *line;
    }
    add_document(text, file.string());
  }

  void read_json_lines(const fs::path& file) {
    TextLines lines(file);
    while (const auto line = lines.next()) {
      if (line->find_first_not_of(" \t\r") == line->npos) continue;
      const nlohmann::json json = parse_json(*line, lines.place());
      const JsonPart document(json, lines.place() + ":");
      if (document.object().contains("text")) {
        add_document(document.at("text").text(), lines.place());
      } else {
        add_pair(document.at("prompt").text(), document.at("response").text(), lines.place());
      }
    }
  }

  void add_document(const std::string& text, const std::string& where) {
    check(data_.pairs.empty(),
          "{}: a text among prompts with responses: train on one kind after the other", where);
    const std::vector<TokenId> tokens = tokenizer_.encode(text);
    data_.stream.insert(data_.stream.end(), tokens.begin(), tokens.end());
    data_.stream.push_back(eos_);
    count(text.size());
  }

  // Encoded in one piece, as a scorer reads it. The answer begins with the first token that the
  // prompt alone would not have: one across the border belongs to the answer.
  void add_pair(const std::string& prompt, const std::string& response, const std::string& where) {
    check(data_.stream.empty(),
          "{}: a prompt with a response among texts: train on one kind after the other", where);
    const std::vector<TokenId> alone = tokenizer_.encode(prompt);
    PromptAnswer pair = {.tokens = tokenizer_.encode(prompt + response)};
    pair.answer = std::ranges::mismatch(alone, pair.tokens).in1 - alone.begin();
    pair.tokens.push_back(eos_);
    check(pair.tokens.size() >= 2, "{}: neither prompt nor response has a token", where);
    data_.pairs.push_back(std::move(pair));
    count(prompt.size() + response.size());
  }

  void count(std::size_t bytes) {
    ++data_.documents;
    data_.bytes += static_cast<std::int64_t>(bytes);
  }

  const Tokenizer& tokenizer_;
  TokenId eos_ = 0;
  LanguageData data_;
};

}  // namespace

LanguageData read_language_data(std::span<const fs::path> files, const Tokenizer& tokenizer) {
  Reader reader(tokenizer);
  for (const fs::path& file : files) reader.read(file);
  return reader.take();
}

}  // namespace rgu::llm
