#include "rgu/experiment/toml_document.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "rgu/experiment/toml_text.hpp"
#include "rgu/mdp/io/place.hpp"

namespace rgu {
namespace {

constexpr std::string_view kOverride = "--set ";

constexpr int kMostDots = 150;  // of keys, in a line

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Is the dot at `at` that of a number: digits behind it, digits before it and, but for a sign,
// nothing that could be part of a key before those?
bool is_decimal_point(std::string_view text, std::size_t at) {
  if (at + 1 == text.size() || !is_digit(text[at + 1])) return false;
  std::size_t begin = at;
  while (begin > 0 && is_digit(text[begin - 1])) --begin;
  if (begin == at) return false;
  if (begin > 0 && (text[begin - 1] == '-' || text[begin - 1] == '+')) --begin;
  return begin == 0 || std::string_view(" \t\n,[=").find(text[begin - 1]) != std::string_view::npos;
}

// Beside another dot or a '#', as in maps, a dot divides no key.
bool may_divide_key(std::string_view text, std::size_t at) {
  const auto is_of_map = [](char c) { return c == '.' || c == '#'; };
  const bool of_map =
      (at > 0 && is_of_map(text[at - 1])) || (at + 1 < text.size() && is_of_map(text[at + 1]));
  return !of_map && !is_decimal_point(text, at);
}

// Each dot of a key opens a table in a table, and toml++ 3.3 takes stack in proportion to their
// depth when it throws them away. It bounds the depth of values, but not of keys; a key is all on
// one line, so lines with very many dots are refused before they are parsed.
void check_dots(std::string_view text, const std::string& name) {
  int line = 1;
  int dots = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      ++line;
      dots = 0;
    }
    if (text[i] != '.' || !may_divide_key(text, i)) continue;
    check(++dots <= kMostDots, "{}:{}: more than {} dots in a line, too many for keys", name, line,
          kMostDots);
  }
}

toml::table parse(std::string_view text, const std::string& name) {
  check_dots(text, name);
  try {
    return toml::parse(text, std::string_view(name));
  } catch (const toml::parse_error& error) {
    fail_at(error.source(), std::string(error.description()));
  }
}

// Could `value` only be meant as a TOML value, so that its syntax error is worth reporting?
bool looks_like_toml(std::string_view value) {
  return value.empty() || std::string_view("\"'[{").find(value.front()) != std::string_view::npos;
}

toml::table parse_override(const std::string& override_text) {
  std::string name = std::string(kOverride) + override_text;
  std::replace(name.begin(), name.end(), '\n', ' ');  // messages are one line
  const std::size_t equals = override_text.find('=');
  check(equals != std::string::npos && equals > 0,
        "{}: must be table.key=value, such as stopping.iterations=100", name);
  const std::string key = override_text.substr(0, equals);
  const std::string value = override_text.substr(equals + 1);
  check(!value.empty(), "{}: has no value after '='", name);
  check_dots(override_text, name);
  try {
    return toml::parse(fmt::format("{} = {}", key, value), std::string_view(name));
  } catch (const toml::parse_error&) {
    if (looks_like_toml(value)) return parse(fmt::format("{} = {}", key, value), name);
    return parse(fmt::format("{} = {}", key, toml_string(value)), name);
  }
}

void merge(toml::table& into, toml::table&& from);

void merge_entry(toml::array& into, const toml::key& key, toml::node&& from) {
  const std::string_view text = key.str();
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size() || index >= into.size()) {
    fail_at(key.source(), fmt::format("'{}' is no entry of a list of {} entries, counted from 0",
                                      printable(text), into.size()));
  }
  toml::node& entry = into[index];
  toml::table* const inner = from.as_table();
  if (inner != nullptr && !inner->is_inline() && entry.is_table()) {
    return merge(*entry.as_table(), std::move(*inner));
  }
  std::move(from).visit([&](auto&& value) {
    into.replace(into.cbegin() + static_cast<std::ptrdiff_t>(index),
                 std::forward<decltype(value)>(value));
  });
}

// Dotted keys of an override are tables that are not inline: they reach into what is there. All
// else replaces it.
void merge(toml::table& into, toml::table&& from) {
  for (auto&& [key, node] : from) {
    toml::node* const there = into.get(key.str());
    toml::table* const inner = node.as_table();
    const bool reaches_in = there != nullptr && inner != nullptr && !inner->is_inline();
    if (reaches_in && there->is_table()) {
      merge(*there->as_table(), std::move(*inner));
    } else if (reaches_in && there->is_array()) {
      for (auto&& [index, entry] : *inner) {
        merge_entry(*there->as_array(), index, std::move(entry));
      }
    } else {
      std::move(node).visit([&, &name = key](auto&& value) {
        into.insert_or_assign(name, std::forward<decltype(value)>(value));
      });
    }
  }
}

}  // namespace

bool is_override(const toml::source_region& region) {
  return region.path && region.path->starts_with(kOverride);
}

void fail_at(const toml::source_region& region, const std::string& message) {
  const std::string name = region.path ? *region.path : std::string();
  if (is_override(region)) throw InvalidInput(fmt::format("{}: {}", name, message));
  throw InvalidInput(
      fmt::format("{}:{}:{}: {}", name, region.begin.line, region.begin.column, message));
}

toml::table parse_document(const ConfigSource& source, const std::vector<std::string>& overrides) {
  toml::table document = parse(source.text, source.name);
  for (const std::string& text : overrides) merge(document, parse_override(text));
  return document;
}

std::string in_words(const toml::node& node) {
  if (const auto* text = node.as_string()) return "the string " + excerpt(text->get());
  if (const auto* value = node.as_integer()) return fmt::to_string(value->get());
  if (const auto* value = node.as_floating_point()) return fmt::format("{:#}", value->get());
  if (const auto* value = node.as_boolean()) return value->get() ? "true" : "false";
  if (node.is_array()) return "a list";
  if (node.is_table()) return "a table";
  return "a date or time";
}

}  // namespace rgu
