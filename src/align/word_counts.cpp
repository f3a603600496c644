#include "rgu/align/word_counts.hpp"

#include <algorithm>

#include "rgu/llm/text/unicode.hpp"

namespace rgu::align {

Words::Words(std::string_view text) {
  const std::string characters = llm::composed(llm::with_replacements(text));
  bool inside = false;  // a word
  for (std::size_t at = 0; at < characters.size();) {
    const llm::Utf8Step step = llm::utf8_step(characters, at);
    at += step.length;
    const bool of_word = llm::is_word_character(step.code_point);
    if (of_word) append_character(step.code_point, !inside);
    inside = of_word;
  }
}

void Words::append_character(char32_t character, bool begins_word) {
  if (begins_word) {
    if (!joined_.empty()) joined_ += ' ';
    ends_.push_back(0);
  }
  llm::append_utf8(joined_, llm::lower_case(character));
  ends_.back() = joined_.size();
}

std::string_view Words::phrase(std::size_t first, std::size_t count) const {
  const std::size_t begin = first == 0 ? 0 : ends_[first - 1] + 1;
  return std::string_view(joined_).substr(begin, ends_[first + count - 1] - begin);
}

PhraseTable::Added PhraseTable::add(const Words& phrase) {
  const auto [place, is_new] = numbers_.emplace(phrase.joined(), numbers_.size());
  if (!std::ranges::count(lengths_, phrase.size())) lengths_.push_back(phrase.size());
  return {.number = place->second, .is_new = is_new};
}

std::vector<PhraseTable::Count> PhraseTable::counts(const Words& text) const {
  std::vector<std::size_t> found;  // phrases, once for every occurrence
  for (const std::size_t length : lengths_) {
    for (std::size_t first = 0; first + length <= text.size(); ++first) {
      const auto phrase = numbers_.find(text.phrase(first, length));
      if (phrase != numbers_.end()) found.push_back(phrase->second);
    }
  }
  std::ranges::sort(found);
  std::vector<Count> counts;
  for (const std::size_t phrase : found) {
    if (counts.empty() || counts.back().phrase != phrase) counts.push_back({.phrase = phrase});
    ++counts.back().occurrences;
  }
  return counts;
}

}  // namespace rgu::align
