#include "rgu/experiment/toml_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace rgu {

std::string to_text(const Range& range) {
  const bool below = std::isinf(range.low), above = std::isinf(range.high);
  if (below && above) return "finite";
  if (above && !range.high_open) return fmt::format("in [{}, inf]", range.low);
  if (above) return fmt::format("{} {}", range.low_open ? ">" : ">=", range.low);
  return fmt::format("in {}{}, {}{}", range.low_open ? '(' : '[', range.low, range.high,
                     range.high_open ? ')' : ']');
}

std::string toml_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        quoted += "\\\"";
        break;
      case '\\':
        quoted += "\\\\";
        break;
      case '\n':
        quoted += "\\n";
        break;
      case '\t':
        quoted += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          quoted += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
        } else {
          quoted += c;
        }
    }
  }
  return quoted + '"';
}

namespace {

std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(Index value) { return fmt::to_string(value); }
std::string text_of(std::uint64_t value) { return fmt::to_string(value); }
std::string text_of(const std::filesystem::path& path) { return toml_string(path.string()); }

// The shortest digits that read back to the same double; always recognisable as no integer.
std::string text_of(double value) {
  std::string text = fmt::to_string(value);
  if (text.find_first_not_of("-0123456789") == text.npos) text += ".0";
  return text;
}

// Text of several lines, such as a map, stays readable.
std::string text_of(const std::string& text) {
  const bool lines = text.find('\n') != text.npos;
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    return c == '\n' || (!control && c != '"' && c != '\\');
  });
  return lines && plain ? "\"\"\"\n" + text + "\"\"\"" : toml_string(text);
}

template <class Entry>
std::string text_of(const std::vector<Entry>& list) {
  std::vector<std::string> entries;
  for (const Entry& entry : list) entries.push_back(text_of(entry));
  return fmt::format("[{}]", fmt::join(entries, ", "));
}

std::string text_of(const Schedule& schedule) {
  if (!schedule.growing) {
    return schedule.values.size() == 1 ? text_of(schedule.values[0]) : text_of(schedule.values);
  }
  const GrowingCount& rule = *schedule.growing;
  constexpr std::array<std::string_view, 3> kGrowths = {"log", "linear", "quadratic"};
  return fmt::format("{{ base = {}, rate = {}, growth = \"{}\", max = {} }}", text_of(rule.base),
                     text_of(rule.rate), kGrowths[static_cast<std::size_t>(rule.growth)], rule.max);
}

std::string text_of(const NumberOrList& value) {
  return std::visit([](const auto& v) { return text_of(v); }, value);
}

template <class T>
std::optional<std::string> written(const Key&, const T& value) {
  return text_of(value);
}

// An empty list of an optional key is a key that is not there.
template <class Entry>
std::optional<std::string> written(const Key&, const std::vector<Entry>& value) {
  if (value.empty()) return std::nullopt;
  return text_of(value);
}

template <class T>
std::optional<std::string> written(const Key& key, const std::optional<T>& value) {
  if (value) return text_of(*value);
  if (key.presence == Presence::kAutomatic) return "\"auto\"";
  return std::nullopt;
}

struct TypeName {
  std::string operator()(const bool*) const { return "true or false"; }
  std::string operator()(const Index*) const { return "integer"; }
  std::string operator()(const std::uint64_t*) const { return "integer"; }
  std::string operator()(const double*) const { return "number"; }
  std::string operator()(const std::string*) const { return "string"; }
  std::string operator()(const std::filesystem::path*) const { return "file name"; }
  std::string operator()(const std::vector<std::string>*) const { return "list of strings"; }
  std::string operator()(const std::vector<std::filesystem::path>*) const {
    return "list of file names";
  }
  std::string operator()(const std::vector<double>*) const { return "list of numbers"; }
  std::string operator()(const std::vector<std::vector<double>>*) const {
    return "list of lists of numbers";
  }
  std::string operator()(const Seeds*) const { return "integer or list of integers"; }
  std::string operator()(const Schedule*) const { return "schedule"; }
  std::string operator()(const NumberOrList*) const { return "number or list of numbers"; }
  template <class T>
  std::string operator()(const std::optional<T>*) const {
    return (*this)(static_cast<const T*>(nullptr));
  }
};

}  // namespace

std::optional<std::string> toml_value(const Key& key, const FieldValue& value) {
  return std::visit([&](const auto* v) { return written(key, *v); }, value);
}

std::string type_name(const FieldValue& value) {
  return std::visit([](const auto* v) { return TypeName()(v); }, value);
}

}  // namespace rgu
