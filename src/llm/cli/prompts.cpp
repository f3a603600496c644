#include "rgu/llm/cli/prompts.hpp"

#include <fmt/format.h>

#include <charconv>
#include <iostream>
#include <iterator>

#include "rgu/base/check.hpp"
#include "rgu/base/text_file.hpp"
#include "rgu/llm/files/json_text.hpp"
#include "rgu/llm/text/text_lines.hpp"

namespace rgu::llm {
namespace {

bool is_compressed(const std::string& path) {
  return path.ends_with(".gz") || path.ends_with(".xz");
}

std::string standard_input() {
  return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
}

std::vector<InputLine> lines_of_input() {
  std::vector<InputLine> lines;
  std::string text;
  for (int number = 1; std::getline(std::cin, text); ++number) {
    if (text.ends_with('\r')) text.pop_back();
    if (!text.empty()) lines.push_back({text, fmt::format("standard input:{}", number)});
  }
  return lines;
}

}  // namespace

std::vector<InputLine> input_lines(const std::string& path) {
  if (path == "-") return lines_of_input();
  std::vector<InputLine> lines;
  TextLines file(path);
  while (const std::optional<std::string_view> line = file.next()) {
    if (!line->empty()) lines.push_back({std::string(*line), file.place()});
  }
  return lines;
}

std::string input_text(const std::string& path) {
  if (path == "-") return standard_input();
  if (!is_compressed(path)) return read_text(path);
  std::string text;
  TextLines file(path);
  while (const std::optional<std::string_view> line = file.next()) {
    text += *line;
    text += '\n';
  }
  return text;
}

bool are_objects(const std::vector<InputLine>& lines) {
  return !lines.empty() && lines.front().text.starts_with('{');
}

nlohmann::json object_of(const InputLine& line) {
  nlohmann::json object = parse_json(line.text, line.where);
  check(object.is_object(), "{}: is not a JSON object", line.where);
  return object;
}

std::string string_member(const nlohmann::json& object, std::string_view key,
                          const std::string& where) {
  const auto found = object.find(key);
  check(found != object.end(), "{}: has no \"{}\"", where, key);
  check(found->is_string(), "{}: \"{}\" is {}, must be a string", where, key, one_line(*found));
  return found->get<std::string>();
}

std::vector<TokenId> token_ids(std::string_view text, const std::string& where) {
  std::vector<TokenId> ids;
  for (std::size_t at = 0; (at = text.find_first_not_of(" ,\t", at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(" ,\t", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    TokenId id = 0;
    const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    check(error == std::errc() && rest == word.data() + word.size() && id >= 0,
          "{}: {} is not a token id", where, in_quotes(word));
    ids.push_back(id);
    at = end;
  }
  return ids;
}

}  // namespace rgu::llm
