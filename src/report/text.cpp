#include "rgu/report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "rgu/base/characters.hpp"
#include "rgu/base/check.hpp"

namespace rgu::report {
namespace {

constexpr std::string_view kReplacement = "\uFFFD";

std::string superscript(int value) {
  constexpr std::array<std::string_view, 10> kDigits = {"⁰", "¹", "²", "³", "⁴",
                                                        "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : std::to_string(value)) {
    text += c == '-' ? std::string_view("⁻") : kDigits[static_cast<std::size_t>(c - '0')];
  }
  return text;
}

std::string with_minus(std::string_view text) {
  return text.starts_with('-') ? "−" + std::string(text.substr(1)) : std::string(text);
}

unsigned hex_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  check(c >= 'a' && c <= 'f', "hexadecimal digit is '{}', must be 0-9 or a-f", c);
  return static_cast<unsigned>(c - 'a') + 10;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = code_point(text, i);
    const std::size_t bytes = point.bytes == 0 ? 1 : point.bytes;
    const bool carriage_return = point.bytes == 1 && point.value == '\r';
    if (point.bytes != 0 && is_shown(point.value)) {
      clean += text.substr(i, bytes);
    } else if (!carriage_return) {
      clean += kReplacement;
    }
    i += bytes;
  }
  return clean;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string json_string(std::string_view text) {
  const std::string clean = printable(text);
  std::string result = "\"";
  for (std::size_t i = 0; i < clean.size();) {
    const CodePoint point = code_point(clean, i);
    const char c = clean[i];
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (is_line_separator(point.value) || point.value < 0x20 || c == '<' || c == '>' ||
               c == '&') {
      result += fmt::format("\\u{:04x}", point.value);
    } else {
      result.append(clean, i, point.bytes);
    }
    i += point.bytes;
  }
  return result + '"';
}

std::string json_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.7g}", value) : "null";
}

std::string json_numbers(const std::vector<double>& values) {
  std::string text = "[";
  for (const double value : values) {
    if (text.size() > 1) text += ',';
    text += json_number(value);
  }
  return text + ']';
}

std::string number(double value) {
  if (std::isnan(value)) return "–";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  if (value == 0) return "0";
  const std::string scientific = fmt::format("{:.3e}", value);  // d.ddde-05, rounded
  const std::size_t e = scientific.find('e');
  const int exponent = std::stoi(scientific.substr(e + 1));
  if (exponent >= -3 && exponent <= 5) {
    return with_minus(fmt::format("{:.{}f}", value, std::max(0, 3 - exponent)));
  }
  return with_minus(scientific.substr(0, e)) + "×" + power_of_ten(exponent);
}

std::string short_number(double value) {
  std::string text = number(value);
  const std::size_t end = std::min(text.find("×"), text.size());
  if (text.find('.') >= end) return text;
  std::size_t last = text.find_last_not_of('0', end - 1);
  if (text[last] == '.') --last;
  return text.substr(0, last + 1) + text.substr(end);
}

std::vector<std::string> column(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  const bool fixed = largest >= 1e-3 && largest < 1e6;
  const int decimals =
      fixed ? std::max(0, 3 - static_cast<int>(std::floor(std::log10(largest)))) : 0;
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const double value : values) {
    texts.push_back(fixed && std::isfinite(value)
                        ? with_minus(fmt::format("{:.{}f}", value, decimals))
                        : number(value));
  }
  return texts;
}

std::string count(long long value) {
  std::string digits = fmt::format("{}", value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3;) digits.insert(i -= 3, 1, ',');
  return with_minus(digits);
}

std::string counted(std::size_t n, std::string_view thing) {
  return fmt::format("{} {}{}", count(static_cast<long long>(n)), thing, n == 1 ? "" : "s");
}

std::string shortened(std::string_view text, std::size_t letters) {
  std::string clean = printable(text);
  std::size_t end = 0;
  std::size_t cut = 0;  // where one letter fewer than allowed ends
  for (std::size_t n = 0; end < clean.size(); ++n) {
    if (n + 1 == letters) cut = end;
    if (n == letters) return clean.substr(0, cut) + "…";
    end += code_point(clean, end).bytes;
  }
  return clean;
}

std::string power_of_ten(int exponent) { return "10" + superscript(exponent); }

std::string base64_of_hex(std::string_view hex) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  check(hex.size() % 2 == 0, "hexadecimal text has {} digits, must be an even number", hex.size());
  std::string text;
  unsigned bits = 0;
  unsigned held = 0;
  for (const char c : hex) {
    bits = (bits << 4U | hex_value(c)) & 0xFFFFU;
    held += 4;
    if (held >= 6) text += kAlphabet[bits >> (held -= 6) & 0x3FU];
  }
  if (held > 0) text += kAlphabet[bits << (6 - held) & 0x3FU];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

}  // namespace rgu::report
