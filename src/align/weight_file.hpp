// Weights of words and phrases as a plain file: what the lexicon and the linear classifier are read
// from.
//
//   # a comment, from '#' to the end of the line; empty lines are left out
//   default -1             a setting: a word that the scorer knows, and its value
//   2.5     thank you      a weight, white space, a word or phrase
//
// Weights are finite decimal numbers. Phrases are cut into words as the texts are
// (word_counts.hpp), so "Don't!" and "don t" are the same phrase. UTF-8; plain, gzip or xz.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rgu/align/word_counts.hpp"
#include "rgu/base/types.hpp"

namespace rgu::align {

struct WeightFile {
  struct Setting {
    std::string value = {};  // one word
    std::string place = {};  // "harm.txt:3", for messages
  };
  std::map<std::string, Setting, std::less<>> settings = {};
  PhraseTable phrases = {};
  std::vector<double> weights = {};  // of the phrases

  double number(std::string_view setting, double otherwise) const;
  // The place of the setting's value in `values`; 0 where it is not set.
  std::size_t choice(std::string_view setting, std::span<const std::string_view> values) const;
};

struct WeightFileRules {
  std::vector<std::string_view> settings = {};  // that may be there, once each
  std::size_t longest_phrase = 1;               // words
};

// Throws InvalidInput, naming file and line, for a line that is none of the above, a weight that is
// not finite, a phrase without words, too long or there already, and for a file without a weight.
WeightFile read_weight_file(const std::filesystem::path& path, const WeightFileRules& rules);

}  // namespace rgu::align
