// Values as TOML text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rgu/experiment/fields.hpp"

namespace rgu {

// Quoted and escaped, on one line.
std::string toml_string(std::string_view text);

// The value as TOML that reads back to the same, "auto" for an automatic number; nothing where an
// optional value is not there.
std::optional<std::string> toml_value(const Key& key, const FieldValue& value);

// In words: "number", "list of names".
std::string type_name(const FieldValue& value);

}  // namespace rgu
