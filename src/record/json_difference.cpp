#include "rgu/record/json_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rgu {
namespace {

constexpr std::size_t kLongestText = 60;

std::string shortened(const Json& value) {
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > kLongestText) text.replace(kLongestText, std::string::npos, "..");
  return text;
}

JsonDifference between(std::string field, const Json& stored, const Json& replayed) {
  JsonDifference difference{
      .field = std::move(field), .stored = shortened(stored), .replayed = shortened(replayed)};
  if (stored.is_number() && replayed.is_number()) {
    difference.distance = std::abs(stored.get<double>() - replayed.get<double>());
  }
  return difference;
}

std::optional<JsonDifference> difference_at(const std::string& field, const Json& stored,
                                            const Json& replayed);

std::optional<JsonDifference> in_lists(const std::string& field, const Json& stored,
                                       const Json& replayed) {
  const std::size_t common = std::min(stored.size(), replayed.size());
  for (std::size_t i = 0; i < common; ++i) {
    const std::string name = fmt::format("{}[{}]", field, i);
    if (auto found = difference_at(name, stored[i], replayed[i])) return found;
  }
  const std::string name = fmt::format("{}[{}]", field, common);
  if (stored.size() > common) return JsonDifference{name, shortened(stored[common]), ""};
  if (replayed.size() > common) return JsonDifference{name, "", shortened(replayed[common])};
  return std::nullopt;
}

std::optional<JsonDifference> in_objects(const std::string& field, const Json& stored,
                                         const Json& replayed) {
  const auto named = [&](const std::string& key) {
    return field.empty() ? key : field + "." + key;
  };
  for (const auto& [key, value] : stored.items()) {
    const auto other = replayed.find(key);
    if (other == replayed.end()) return JsonDifference{named(key), shortened(value), ""};
    if (auto found = difference_at(named(key), value, *other)) return found;
  }
  for (const auto& [key, value] : replayed.items()) {
    if (!stored.contains(key)) return JsonDifference{named(key), "", shortened(value)};
  }
  return std::nullopt;
}

std::optional<JsonDifference> difference_at(const std::string& field, const Json& stored,
                                            const Json& replayed) {
  if (stored.is_array() && replayed.is_array()) return in_lists(field, stored, replayed);
  if (stored.is_object() && replayed.is_object()) return in_objects(field, stored, replayed);
  if (stored.type() == replayed.type() && stored.dump() == replayed.dump()) return std::nullopt;
  return between(field, stored, replayed);
}

}  // namespace

std::optional<JsonDifference> first_difference(const Json& stored, const Json& replayed) {
  return difference_at("", stored, replayed);
}

}  // namespace rgu
