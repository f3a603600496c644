// Texts as words, and the phrases that occur in them.
//
// A text is cut so: bytes that are not UTF-8 become U+FFFD, characters are composed (normalisation
// form C) and put in lower case one by one; words are the longest runs of word characters: letters,
// marks, digits, connector punctuation ("_") and join controls, the \w of regular expressions in
// Unicode. Everything else only parts words: "Don't  stop!" is don, t, stop.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rgu/base/types.hpp"

namespace rgu::align {

class Words {
 public:
  explicit Words(std::string_view text);

  std::size_t size() const { return ends_.size(); }
  // Words first .. first + count - 1 with a space between them; count >= 1.
  std::string_view phrase(std::size_t first, std::size_t count) const;
  const std::string& joined() const { return joined_; }  // all of them

 private:
  void append_character(char32_t character, bool begins_word);

  std::string joined_;
  std::vector<std::size_t> ends_;  // of each word in joined_
};

// Phrases that are looked for, numbered from 0 as they are added.
class PhraseTable {
 public:
  struct Added {
    std::size_t number = 0;
    bool is_new = true;  // false: there was such a phrase already, and this is its number
  };
  Added add(const Words& phrase);  // of at least one word

  std::size_t size() const { return numbers_.size(); }

  struct Count {
    std::size_t phrase = 0;
    Index occurrences = 0;  // at least 1; they may overlap: "a a" is twice in "a a a"
  };
  std::vector<Count> counts(const Words& text) const;  // of the phrases that occur, by number

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> numbers_;
  std::vector<std::size_t> lengths_;  // that phrases have, in words, each once
};

// sum over the phrases of weight * value(occurrences), in the order of the phrases; 0 without any.
template <class Value>
double weighted_sum(const std::vector<PhraseTable::Count>& counts,
                    const std::vector<double>& weights, Value value) {
  double sum = 0;
  for (const PhraseTable::Count& count : counts) {
    sum += weights[count.phrase] * value(count.occurrences);
  }
  return sum;
}

}  // namespace rgu::align
