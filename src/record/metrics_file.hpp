// Metrics as lines of JSON: one object an outer iteration.
#pragma once

#include <string>
#include <string_view>

#include "rgu/record/metrics.hpp"

namespace rgu {

// One line, with its line break. Numbers that were not measured are left out; every number reads
// back to the same double.
std::string to_line(const Metrics& metrics);

// Throws InvalidInput, with a message that says what is wrong but not where, on any other text.
Metrics parse_metrics(std::string_view text);

}  // namespace rgu
