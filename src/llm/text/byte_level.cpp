#include "rgu/llm/text/byte_level.hpp"

#include <array>

#include "rgu/llm/text/unicode.hpp"

namespace rgu::llm {
namespace {

constexpr std::size_t kCharacters = 256 + 68;

struct Spelling {
  std::array<std::string, 256> characters = {};
  std::array<std::int16_t, kCharacters> bytes = {};  // by code point; -1: none
};

bool is_itself(unsigned byte) {
  return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
}

Spelling make_spelling() {
  Spelling spelling;
  spelling.bytes.fill(-1);
  char32_t next = 256;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const char32_t code_point = is_itself(byte) ? byte : next++;
    append_utf8(spelling.characters[byte], code_point);
    spelling.bytes[code_point] = static_cast<std::int16_t>(byte);
  }
  return spelling;
}

const Spelling& spelling() {
  static const Spelling made = make_spelling();
  return made;
}

}  // namespace

std::string_view character_of_byte(std::uint8_t byte) { return spelling().characters[byte]; }

std::string spelled_bytes(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += character_of_byte(static_cast<std::uint8_t>(byte));
  return text;
}

std::optional<std::string> unspelled_bytes(std::string_view text) {
  std::string bytes;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_step(text, at);
    if (step.code_point >= kCharacters || spelling().bytes[step.code_point] < 0) return {};
    bytes += static_cast<char>(spelling().bytes[step.code_point]);
    at += step.length;
  }
  return bytes;
}

}  // namespace rgu::llm
