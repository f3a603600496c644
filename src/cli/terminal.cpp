#include "rgu/cli/terminal.hpp"

#include <unistd.h>

#include "rgu/base/characters.hpp"

namespace rgu {
namespace {

// `text` with what `escape` makes of each character that may not be shown; 0 bytes: not UTF-8.
template <class IsShown, class Escape>
std::string replaced(std::string_view text, IsShown is_kept, Escape escape) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = code_point(text, i);
    if (point.bytes != 0 && is_kept(point.value)) {
      result += text.substr(i, point.bytes);
    } else if (point.bytes != 0) {
      result += escape(point.value);
    } else {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
    }
    i += point.bytes == 0 ? 1 : point.bytes;
  }
  return result;
}

std::string escape_of(std::uint32_t value) {
  if (value < 0x80) return fmt::format("\\x{:02x}", value);
  return value < 0x10000 ? fmt::format("\\u{:04x}", value) : fmt::format("\\U{:08x}", value);
}

std::string json_escape_of(std::uint32_t value) {
  if (value < 0x10000) return fmt::format("\\u{:04x}", value);
  const std::uint32_t rest = value - 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10U), 0xDC00 + (rest & 0x3FFU));
}

bool is_inline(std::uint32_t value) { return is_shown(value) && !is_line_separator(value); }

}  // namespace

std::string on_one_line(std::string_view text) {
  return replaced(
      text, [](std::uint32_t c) { return c >= 0x20 && is_inline(c); }, escape_of);
}

std::string on_lines(std::string_view text) { return replaced(text, is_inline, escape_of); }

void internal::write(std::FILE* stream, const std::string& text) { fmt::print(stream, "{}", text); }

void say_json(std::string_view json) {
  internal::write(stdout, replaced(json, is_inline, json_escape_of) + '\n');
}

void say_contents(std::string_view text) {
  const bool to_terminal = isatty(fileno(stdout)) == 1;
  internal::write(stdout, to_terminal ? on_lines(text) : std::string(text));
}

}  // namespace rgu
