// One TOML value into one field. Only for files that may see toml++.
#pragma once

#include <toml++/toml.h>

#include <filesystem>

#include "rgu/experiment/fields.hpp"

namespace rgu {

// Relative file names start at `folder` and become absolute. Throws InvalidInput at the value's
// place unless it has the field's type and its numbers are in the key's range.
void read_value(const Key& key, const toml::node& node, const FieldValue& field,
                const std::filesystem::path& folder);

}  // namespace rgu
