#include "rgu/base/characters.hpp"

#include <array>

namespace rgu {
namespace {

// Marks, embeddings, overrides and isolates of the Unicode bidirectional algorithm.
bool is_direction(std::uint32_t value) {
  return value == 0x061C || value == 0x200E || value == 0x200F ||
         (value >= 0x202A && value <= 0x202E) || (value >= 0x2066 && value <= 0x2069);
}

}  // namespace

CodePoint code_point(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + bytes > text.size()) return {};
  std::uint32_t value = first & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    value = (value << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kLeast[bytes] || value > 0x10FFFF || surrogate) return {};
  return {value, bytes};
}

bool is_line_separator(std::uint32_t value) { return value == 0x2028 || value == 0x2029; }

bool is_shown(std::uint32_t value) {
  if (value < 0x20) return value == '\t' || value == '\n';
  if (is_direction(value)) return false;
  return value != 0x7F && !(value >= 0x80 && value < 0xA0) && (value & 0xFFFEU) != 0xFFFE;
}

}  // namespace rgu
