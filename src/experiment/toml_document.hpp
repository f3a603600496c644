// TOML text and overrides as one tree. Only for files that may see toml++.
#pragma once

#include <fmt/format.h>
#include <toml++/toml.h>

#include <string>
#include <string_view>
#include <vector>

#include "rgu/base/check.hpp"
#include "rgu/experiment/config.hpp"

namespace rgu {

// Does the region lie in an override?
bool is_override(const toml::source_region& region);

// Throws InvalidInput at "file:line:column", or at the override that `region` comes from.
[[noreturn]] void fail_at(const toml::source_region& region, const std::string& message);

// Throws InvalidInput on what is no TOML and on overrides that are no "key=value" or lead nowhere.
toml::table parse_document(const ConfigSource& source, const std::vector<std::string>& overrides);

// What a node is, for messages: `the string "ten"`, "2.5", "a list".
std::string in_words(const toml::node& node);

}  // namespace rgu
