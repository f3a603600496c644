#include "rgu/llm/text/json_part.hpp"

#include "rgu/base/check.hpp"
#include "rgu/llm/files/json_text.hpp"

namespace rgu::llm {
namespace {

// "config.json: model.type", "data.jsonl:12: prompt".
std::string place_of(const std::string& whole, const std::string& key) {
  return whole + (whole.ends_with(':') ? " " : ".") + key;
}

}  // namespace

void JsonPart::refuse(std::string_view rule) const {
  throw InvalidInput(fmt::format("{} is {}, must be {}", place_, one_line(*value_), rule));
}

const nlohmann::json& JsonPart::object() const {
  if (!value_->is_object()) refuse("an object");
  return *value_;
}

const nlohmann::json& JsonPart::array() const {
  if (!value_->is_array()) refuse("an array");
  return *value_;
}

JsonPart JsonPart::at(const std::string& key) const {
  const auto found = object().find(key);
  check(found != value_->end(), "{} has no {}", place_, in_quotes(key));
  return {*found, place_of(place_, key)};
}

std::optional<JsonPart> JsonPart::find(const std::string& key) const {
  const auto found = object().find(key);
  if (found == value_->end() || found->is_null()) return {};
  return JsonPart(*found, place_of(place_, key));
}

std::vector<JsonPart> JsonPart::elements() const {
  std::vector<JsonPart> parts;
  for (const nlohmann::json& element : array()) {
    parts.emplace_back(element, fmt::format("{}[{}]", place_, parts.size()));
  }
  return parts;
}

std::string JsonPart::text() const {
  if (!value_->is_string()) refuse("a string");
  return value_->get<std::string>();
}

std::int64_t JsonPart::integer(std::int64_t least, std::int64_t most) const {
  const bool representable =
      value_->is_number_integer() &&
      (!value_->is_number_unsigned() || value_->get<std::uint64_t>() <= INT64_MAX);
  if (!representable || value_->get<std::int64_t>() < least || value_->get<std::int64_t>() > most) {
    refuse(fmt::format("an integer from {} to {}", least, most));
  }
  return value_->get<std::int64_t>();
}

bool JsonPart::truth() const {
  if (!value_->is_boolean()) refuse("true or false");
  return value_->get<bool>();
}

bool JsonPart::truth_or(const std::string& key, bool otherwise) const {
  const std::optional<JsonPart> part = find(key);
  return part ? part->truth() : otherwise;
}

}  // namespace rgu::llm
