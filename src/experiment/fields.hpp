// The option mechanism: one describe function for each struct lists its keys, ranges and help;
// reading, writing and the list of keys are visitors that walk it.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rgu/experiment/config_ambiguity.hpp"
#include "rgu/solver/schedule.hpp"

namespace rgu {

struct Range {
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  double low = -kInfinity;
  double high = kInfinity;
  bool low_open = true;
  bool high_open = true;

  bool contains(double x) const {
    return (low_open ? x > low : x >= low) && (high_open ? x < high : x <= high);
  }
};

// "> 0", "in [0, 1)", "finite".
std::string to_text(const Range& range);

inline constexpr Range kFinite = {};
inline constexpr Range kPositive = {.low = 0};
inline constexpr Range kNonnegative = {.low = 0, .low_open = false};
inline constexpr Range kUnitOpen = {.low = 0, .high = 1};
constexpr Range at_least(double low) { return {.low = low, .low_open = false}; }
constexpr Range between(double low, double high) {
  return {.low = low, .high = high, .low_open = false, .high_open = false};
}

enum class Presence {
  kOptional,
  kRequired,
  kAutomatic,  // an optional number whose absence is spelled "auto"
};

struct Key {
  std::string_view name;
  std::string_view help = {};
  Range range = {};  // of every number in the value
  Presence presence = Presence::kOptional;
};

using Seeds = std::vector<std::uint64_t>;

// What a key may hold. Of a std::optional, empty means that the key is not there.
using FieldValue =
    std::variant<bool*, Index*, double*, std::string*, std::filesystem::path*,
                 std::vector<std::string>*, std::vector<std::filesystem::path>*,
                 std::vector<double>*, std::vector<std::vector<double>>*, Seeds*, Schedule*,
                 std::optional<std::uint64_t>*, std::optional<Index>*, std::optional<double>*,
                 std::optional<std::string>*, std::optional<std::filesystem::path>*,
                 std::optional<Schedule>*, std::optional<NumberOrList>*>;

// One of several kinds of a thing, each with keys of its own.
struct Kind {
  std::string_view name;
  std::string_view help = {};
  std::string_view implied_by = {};  // the key whose presence means this kind, without the name
};

class FieldVisitor {
 public:
  using Walk = std::function<void(FieldVisitor&, std::size_t)>;

  virtual ~FieldVisitor() = default;

  virtual void value(const Key& key, FieldValue value) = 0;

  // `key` names one of `kinds`, now `current`. walk(visitor, k) makes kind k the current one and
  // visits its keys.
  virtual void choose(const Key& key, std::span<const Kind> kinds, std::size_t current,
                      const Walk& walk) = 0;

  // A list of tables, now `count` long. walk(visitor, i) visits table i; a table beyond the end is
  // appended.
  virtual void tables(const Key& key, std::size_t count, const Walk& walk) = 0;

  // A table; `present`: is it there now? walk(visitor, 0) makes it if need be and visits its keys.
  virtual void table(const Key& key, bool present, const Walk& walk) = 0;

  // A rule between keys, for which `key` is to blame.
  virtual void rule(bool holds, std::string_view key, const std::string& message) = 0;
};

}  // namespace rgu
