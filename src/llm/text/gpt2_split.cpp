#include "rgu/llm/text/gpt2_split.hpp"

#include "rgu/llm/text/unicode.hpp"

namespace rgu::llm {
namespace {

constexpr std::string_view kContractions[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};

// Length of the contraction that `text` begins with; 0: none.
std::size_t contraction_length(std::string_view text) {
  for (const std::string_view contraction : kContractions) {
    if (text.starts_with(contraction)) return contraction.size();
  }
  return 0;
}

struct Run {
  std::size_t end = 0;
  std::size_t last = 0;  // where its last character begins
};

// The longest run of one class from `begin`, whose first character has that class.
Run run_of(CharacterClass wanted, std::string_view text, std::size_t begin) {
  Run run{.end = begin, .last = begin};
  while (run.end < text.size()) {
    const Utf8Step step = utf8_step(text, run.end);
    if (class_of(step.code_point) != wanted) break;
    run.last = run.end;
    run.end += step.length;
  }
  return run;
}

CharacterClass class_at(std::string_view text, std::size_t at) {
  return class_of(utf8_step(text, at).code_point);
}

// \s+(?!\S)|\s+ : the whole run at the end of the text, otherwise all but its last character, which
// is a word of its own where it is the only one.
std::size_t space_end(std::string_view text, std::size_t begin) {
  const Run run = run_of(CharacterClass::kSpace, text, begin);
  const bool followed = run.end < text.size();
  return followed && run.last > begin ? run.last : run.end;
}

}  // namespace

std::size_t gpt2_word_end(std::string_view text, std::size_t begin) {
  if (text[begin] == '\'') {
    const std::size_t length = contraction_length(text.substr(begin));
    if (length > 0) return begin + length;
  }
  const bool leads = text[begin] == ' ' && begin + 1 < text.size();
  const std::size_t body = leads ? begin + 1 : begin;
  const CharacterClass word = class_at(text, body);
  if (word == CharacterClass::kSpace) return space_end(text, begin);
  return run_of(word, text, body).end;
}

}  // namespace rgu::llm
