// A configuration file with its parts marked for colour.
#pragma once

#include <string>
#include <string_view>

namespace rgu::report {

// HTML: escaped text in which sections, keys, strings, numbers and comments stand in <span>s of the
// classes t-section, t-key, t-text, t-number and t-comment. Text that is not TOML stays readable.
std::string coloured_toml(std::string_view toml);

}  // namespace rgu::report
