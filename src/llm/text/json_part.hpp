// Parts of a JSON document that know their place in it, for messages: "tokenizer.json: model.type
// is 3, must be a string".
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rgu::llm {

// A view: the document must live on. The place of a whole document ends in a colon. Every member
// throws InvalidInput where the value is of another kind.
class JsonPart {
 public:
  JsonPart(const nlohmann::json& value, std::string place)
      : value_(&value), place_(std::move(place)) {}

  JsonPart at(const std::string& key) const;                   // must be there
  std::optional<JsonPart> find(const std::string& key) const;  // none also where it is null
  std::vector<JsonPart> elements() const;                      // of an array

  std::string text() const;
  std::int64_t integer(std::int64_t least, std::int64_t most) const;
  bool truth() const;
  bool truth_or(const std::string& key, bool otherwise) const;

  const nlohmann::json& value() const { return *value_; }
  const nlohmann::json& object() const;
  const nlohmann::json& array() const;
  const std::string& place() const { return place_; }

  [[noreturn]] void refuse(std::string_view rule) const;  // "place is value, must be rule"

 private:
  const nlohmann::json* value_;
  std::string place_;
};

}  // namespace rgu::llm
