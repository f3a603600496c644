// Suggestions for misspelt names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rgu {

// The least number of insertions, deletions, substitutions and swaps of neighbours that turn one
// into the other, no letter touched twice.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `name`, the first of equals; empty unless it is close: at most a third
// of the letters of the longer one, rounded up, differ.
std::string_view nearest_name(std::string_view name, std::span<const std::string> candidates);

// "; did you mean 'radius'?", or nothing where no candidate is close.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

}  // namespace rgu
