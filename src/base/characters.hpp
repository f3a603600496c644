// Characters of UTF-8 texts, and which of them may be shown as they are. What a file says may hold
// anything: both pages (report/text.hpp) and the terminal (cli/terminal.hpp) ask here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rgu {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  // 0: not UTF-8
};

// The code point that begins at `text[at]`; overlong forms and surrogates are not UTF-8.
CodePoint code_point(std::string_view text, std::size_t at);

// False for control characters other than tab and line feed (C1 as well), for those that change the
// direction of the text beside them, and for what is not a character.
bool is_shown(std::uint32_t value);

// True for the line and paragraph separators of Unicode, which some programs break lines at.
bool is_line_separator(std::uint32_t value);

}  // namespace rgu
