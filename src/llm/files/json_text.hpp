// JSON from files that are not trusted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace rgu::llm {

inline constexpr std::uint64_t kLargestJson = 100'000'000;  // bytes

// Throws InvalidInput, naming `where`, if the text is not JSON, is longer than kLargestJson,
// repeats a key of an object, holds a NUL byte or is nested deeper than 64 levels.
nlohmann::json parse_json(std::string_view text, std::string_view where);
nlohmann::json read_json(const std::filesystem::path& path);  // must be an object

// A name out of a file in quotes, on one line and cut short: fit for a message.
std::string in_quotes(std::string_view name);
std::string one_line(const nlohmann::json& value);  // the same of any value

}  // namespace rgu::llm
