// The words of GPT-2's split pattern,
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// which byte-level tokenizers merge within.
#pragma once

#include <cstddef>
#include <string_view>

namespace rgu::llm {

inline constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

// The end of the word that begins at `begin` < text.size(). The words of a text follow each other
// without gaps. `text` is valid UTF-8.
std::size_t gpt2_word_end(std::string_view text, std::size_t begin);

// Calls visit(word) for every word, from left to right.
template <class Visit>
void for_each_gpt2_word(std::string_view text, Visit visit) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = gpt2_word_end(text, begin);
    visit(text.substr(begin, end - begin));
    begin = end;
  }
}

}  // namespace rgu::llm
