// Reading files so that errors say where: in which file, on which line.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "rgu/base/check.hpp"
#include "rgu/base/text_file.hpp"
#include "rgu/record/json_values.hpp"

namespace rgu {

// read(json) of the whole file; what goes wrong gets its name in front.
template <class Read>
auto naming(const std::filesystem::path& path, Read read) {
  try {
    return read(parse_json(read_text(path)));
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("{}: {}", path.string(), error.what()));
  }
}

// Calls read(line) for every whole line, if there is the file; a last line without a line break was
// cut off. What goes wrong gets "file:line: " in front.
template <class Read>
void for_each_line(const std::filesystem::path& path, Read read) {
  if (!std::filesystem::exists(path)) return;
  const std::string text = read_text(path);
  std::size_t begin = 0;
  for (int line = 1;; ++line) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) return;
    try {
      read(std::string_view(text).substr(begin, end - begin));
    } catch (const InvalidInput& error) {
      throw InvalidInput(fmt::format("{}:{}: {}", path.string(), line, error.what()));
    }
    begin = end + 1;
  }
}

}  // namespace rgu
