#include "rgu/record/json_values.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include "rgu/base/check.hpp"

namespace rgu {
namespace {

constexpr std::size_t kDeepest = 64;         // levels
constexpr std::size_t kMostMembers = 10000;  // of one object

// Bounds what the parser and those who use its result take more of than the text has: writing or
// copying a value takes stack in proportion to its depth, and an object that keeps the order of its
// keys takes time quadratic in their number. Up to where the text stops being JSON, which the
// parser finds, brackets and colons outside of strings are what they seem.
void check_structure(std::string_view text) {
  std::vector<std::size_t> members;  // so far, of each value that is open
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
      continue;
    }
    in_string = c == '"';
    if (c == '[' || c == '{') {
      check(members.size() < kDeepest, "not as written: nested deeper than {} levels", kDeepest);
      members.push_back(0);
    } else if ((c == ']' || c == '}') && !members.empty()) {
      members.pop_back();
    } else if (c == ':' && !members.empty()) {
      check(++members.back() <= kMostMembers, "not as written: an object of more than {} members",
            kMostMembers);
    }
  }
}

double to_double(const Json& value, std::string_view key) {
  if (value.is_number()) return value.get<double>();
  if (value == "inf") return kInfinity;
  if (value == "-inf") return -kInfinity;
  if (value == "nan") return std::nan("");
  throw InvalidInput(fmt::format("\"{}\" has an entry {}, must be a number", key, value.dump()));
}

}  // namespace

std::string to_text(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

Json to_json(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

Json to_json(const Vector& value) {
  Json list = Json::array();
  for (const double entry : value) list.push_back(to_json(entry));
  return list;
}

Json to_json(const Matrix& value) {
  Json rows = Json::array();
  for (Index i = 0; i < value.rows(); ++i) rows.push_back(to_json(Vector(value.row(i))));
  return rows;
}

Json parse_json(std::string_view text) {
  check_structure(text);
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    throw InvalidInput(fmt::format("not JSON: {}", error.what()));
  }
}

const Json& member(const Json& object, std::string_view key) {
  check(object.is_object(), "not a JSON object, must be one with \"{}\"", key);
  const auto found = object.find(key);
  check(found != object.end(), "\"{}\" is missing", key);
  return *found;
}

template <>
double number<double>(const Json& object, std::string_view key) {
  return to_double(member(object, key), key);
}

template <>
Index number<Index>(const Json& object, std::string_view key) {
  const Json& value = member(object, key);
  const bool fits = !value.is_number_unsigned() ||
                    value.get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<Index>::max()};
  check(value.is_number_integer() && fits, "\"{}\" is {}, must be an integer below 2^63", key,
        value.dump());
  return value.get<Index>();
}

template <>
std::uint64_t number<std::uint64_t>(const Json& object, std::string_view key) {
  const Json& value = member(object, key);
  check(value.is_number_unsigned(), "\"{}\" is {}, must be an integer >= 0", key, value.dump());
  return value.get<std::uint64_t>();
}

std::string words(const Json& object, std::string_view key) {
  const Json& value = member(object, key);
  check(value.is_string(), "\"{}\" is {}, must be a string", key, value.dump());
  return value.get<std::string>();
}

std::vector<std::string> word_list(const Json& object, std::string_view key) {
  const Json& value = member(object, key);
  check(value.is_array(), "\"{}\" is not a list", key);
  std::vector<std::string> list;
  for (const Json& entry : value) {
    check(entry.is_string(), "\"{}\" has an entry {}, must be a string", key, entry.dump());
    list.push_back(entry.get<std::string>());
  }
  return list;
}

Vector vector_of(const Json& object, std::string_view key) {
  const Json& value = member(object, key);
  check(value.is_array(), "\"{}\" is not a list", key);
  Vector vector(static_cast<Index>(value.size()));
  for (Index i = 0; i < vector.size(); ++i) {
    vector(i) = to_double(value[static_cast<std::size_t>(i)], key);
  }
  return vector;
}

Matrix matrix_of(const Json& object, std::string_view key) {
  const Json& value = member(object, key);
  check(value.is_array(), "\"{}\" is not a list of rows", key);
  const std::size_t columns = value.empty() || !value[0].is_array() ? 0 : value[0].size();
  Matrix matrix(static_cast<Index>(value.size()), static_cast<Index>(columns));
  for (std::size_t i = 0; i < value.size(); ++i) {
    check(value[i].is_array() && value[i].size() == columns,
          "\"{}\" row {} is not a list of {} numbers", key, i, columns);
    for (std::size_t j = 0; j < columns; ++j) {
      matrix(static_cast<Index>(i), static_cast<Index>(j)) = to_double(value[i][j], key);
    }
  }
  return matrix;
}

AnswerKind answer_kind(std::string_view name) {
  for (const AnswerKind kind :
       {AnswerKind::kExact, AnswerKind::kCertified, AnswerKind::kBestFound}) {
    if (name_of(kind) == name) return kind;
  }
  throw InvalidInput(fmt::format("kind is '{}', must be exact, certified or best found", name));
}

}  // namespace rgu
