#include "rgu/report/toml_colours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "rgu/report/text.hpp"

namespace rgu::report {
namespace {

std::string span(std::string_view kind, std::string_view text) {
  if (text.empty()) return "";
  return fmt::format(R"(<span class="t-{}">{}</span>)", kind, escaped(text));
}

// Where the string that begins at `begin` ends; at the end of the line if it is not closed.
std::size_t end_of_string(std::string_view line, std::size_t begin) {
  const char quote = line[begin];
  for (std::size_t i = begin + 1; i < line.size(); ++i) {
    if (quote == '"' && line[i] == '\\') {
      ++i;
    } else if (line[i] == quote) {
      return i + 1;
    }
  }
  return line.size();
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '+' ||
         c == '.' || c == ':';
}

bool is_number(std::string_view word) {
  return std::isdigit(static_cast<unsigned char>(
             word.find_first_of("+-") == 0 && word.size() > 1 ? word[1] : word[0])) != 0 ||
         word == "true" || word == "false" || word == "inf" || word == "nan";
}

// The position of the '=' that ends a key; npos where the line has none outside of strings.
std::size_t end_of_key(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' || line[i] == '\'') {
      i = end_of_string(line, i) - 1;
    } else if (line[i] == '#') {
      return std::string_view::npos;
    } else if (line[i] == '=') {
      return i;
    }
  }
  return std::string_view::npos;
}

std::string coloured_value(std::string_view text) {
  std::string html;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '#') return html + span("comment", text.substr(i));
    std::size_t end = i + 1;
    if (text[i] == '"' || text[i] == '\'') {
      end = end_of_string(text, i);
      html += span("text", text.substr(i, end - i));
    } else if (is_word(text[i])) {
      while (end < text.size() && is_word(text[end])) ++end;
      const std::string_view word = text.substr(i, end - i);
      html += is_number(word) ? span("number", word) : escaped(word);
    } else {
      // Bytes of one letter stay together.
      while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0x80U) != 0) ++end;
      html += escaped(text.substr(i, end - i));
    }
    i = end;
  }
  return html;
}

std::string coloured_line(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  const std::string indent(line.substr(0, first));
  line.remove_prefix(first);
  if (line[0] == '#') return indent + span("comment", line);
  const std::size_t key = end_of_key(line);
  if (line[0] == '[' && key == std::string_view::npos) {
    const std::size_t comment = std::min(line.find('#'), line.size());
    return indent + span("section", line.substr(0, comment)) +
           span("comment", line.substr(comment));
  }
  if (key == std::string_view::npos) return indent + coloured_value(line);
  return indent + span("key", line.substr(0, key)) + "=" + coloured_value(line.substr(key + 1));
}

}  // namespace

std::string coloured_toml(std::string_view toml) {
  const std::string clean = printable(toml);
  std::string html;
  std::string_view rest = clean;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    html += coloured_line(rest.substr(0, end)) + '\n';
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return html;
}

}  // namespace rgu::report
