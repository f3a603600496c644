#include "rgu/align/cli/scorer_argument.hpp"

#include <filesystem>
#include <sstream>

#include "rgu/base/check.hpp"

namespace rgu::align {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split_words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> all;
  for (std::string word; stream >> word;) all.push_back(word);
  return all;
}

bool has_prefix(const std::string& text, std::string_view prefix, std::string& rest) {
  if (!text.starts_with(prefix)) return false;
  rest = text.substr(prefix.size());
  return true;
}

// Is there nothing behind NAME= or lexicon: and the like?
bool is_bare(const std::string& what) {
  if (what.find_first_not_of(" \t") == std::string::npos) return true;
  std::string rest;
  return (has_prefix(what, "lexicon:", rest) || has_prefix(what, "linear:", rest) ||
          has_prefix(what, "command:", rest)) &&
         rest.find_first_not_of(" \t") == std::string::npos;
}

}  // namespace

ScorerConfig scorer_from(const std::string& text, const std::string& default_name) {
  ScorerConfig scorer{.name = default_name};
  std::string what = text, rest;
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos && text.find_first_of("/:") > equals) {
    scorer.name = text.substr(0, equals);
    what = text.substr(equals + 1);
  }
  check(!is_bare(what),
        "scorer \"{}\": must be [NAME=]FOLDER, lexicon:FILE, linear:FILE or "
        "command:PROGRAM ARGUMENTS",
        text);
  if (has_prefix(what, "lexicon:", rest)) {
    scorer.kind = LexiconScorerConfig{.file = fs::absolute(rest)};
  } else if (has_prefix(what, "linear:", rest)) {
    scorer.kind = LinearScorerConfig{.file = fs::absolute(rest)};
  } else if (has_prefix(what, "command:", rest)) {
    scorer.kind = CommandScorerConfig{.command = split_words(rest)};
  } else {
    scorer.kind = ModelScorerConfig{.model = fs::absolute(what)};
  }
  return scorer;
}

}  // namespace rgu::align
