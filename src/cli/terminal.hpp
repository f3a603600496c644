// Everything that the programs write to the standard output and to the standard error. Names and
// descriptions come from files, and folders from anywhere: what they hold must not steer the
// terminal, forge a line of rgu's own or turn around the text beside it. So every text passes
// through here, and what must not be shown as it is becomes \xNN or \uNNNN.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace rgu {

// Control characters (line breaks and tabs too), characters that change the direction of text, and
// bytes that are not UTF-8 are escaped: for data.
std::string on_one_line(std::string_view text);

// The same, but line breaks and tabs stay.
std::string on_lines(std::string_view text);

// A text that rgu laid out itself, a table for one: its line breaks are meant.
struct Lines {
  std::string text;
};

namespace internal {

template <class T>
decltype(auto) shown(const T& value) {
  if constexpr (std::is_same_v<T, Lines>) {
    return on_lines(value.text);
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return on_one_line(value);
  } else {
    return (value);
  }
}

template <class... Args>
std::string formatted(fmt::string_view format, const Args&... args) {
  return on_lines(fmt::vformat(format, fmt::make_format_args(args...)));
}

void write(std::FILE* stream, const std::string& text);

}  // namespace internal

// fmt::format, but every argument that is text stays on one line; `Lines` keep theirs.
template <class... Args>
std::string terminal_text(fmt::format_string<Args...> format, const Args&... args) {
  return internal::formatted(format, internal::shown(args)...);
}

// Writes that text, as it stands, to a stream; to the standard output if none is given.
template <class... Args>
void say(std::FILE* stream, fmt::format_string<Args...> format, const Args&... args) {
  internal::write(stream, terminal_text(format, args...));
}
template <class... Args>
void say(fmt::format_string<Args...> format, const Args&... args) {
  say(stdout, format, args...);
}

// Writes a JSON text and a line break to the standard output. Escapes as JSON has them, so the
// values are the same.
void say_json(std::string_view json);

// Writes the contents of a file, or what a model wrote, to the standard output: as `on_lines` to a
// terminal, byte for byte to a file or a pipe, so that `rgu show x > mine.toml` copies.
void say_contents(std::string_view text);

}  // namespace rgu

template <>
struct fmt::formatter<rgu::Lines> : fmt::formatter<fmt::string_view> {
  template <class Context>
  auto format(const rgu::Lines& lines, Context& context) const {
    return fmt::formatter<fmt::string_view>::format(lines.text, context);
  }
};
