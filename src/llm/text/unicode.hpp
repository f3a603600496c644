// UTF-8 and the few facts of Unicode that tokenizers need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rgu::llm {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;

// A character of UTF-8 text, or bytes that are none.
struct Utf8Step {
  char32_t code_point = kReplacementCharacter;
  std::uint8_t length =
      1;  // bytes; of a bad sequence: its longest part that could have begun a character
  bool valid = false;
};

// What begins at text[at], at < text.size(). Overlong forms, surrogates and code points above
// U+10FFFF are not valid.
Utf8Step utf8_step(std::string_view text, std::size_t at);

bool is_utf8(std::string_view text);

// The text with every bad sequence (in the sense of Utf8Step) replaced by one U+FFFD: what the
// Unicode standard recommends and what Rust's from_utf8_lossy does.
std::string with_replacements(std::string_view text);

void append_utf8(std::string& text, char32_t code_point);

// \p{L}, \p{N} and \s (the property White_Space), which exclude each other, and the rest.
enum class CharacterClass : std::uint8_t { kLetter, kNumber, kSpace, kOther };
CharacterClass class_of(char32_t code_point);

// \w: alphabetic, mark, decimal number, connector punctuation or join control.
bool is_word_character(char32_t code_point);

// The simple lower-case mapping: one character for one, whatever its neighbours.
char32_t lower_case(char32_t code_point);

// Normalisation form C of valid UTF-8, in time near-linear in the text.
std::string composed(std::string_view text);

}  // namespace rgu::llm
