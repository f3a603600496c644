// Where two JSON values first differ.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "rgu/record/json_values.hpp"

namespace rgu {

struct JsonDifference {
  std::string field;     // "policy[3][1]"; empty: the whole value
  std::string stored;    // as JSON, shortened; empty: there is none
  std::string replayed;  // likewise
  // |stored - replayed|; NaN where one of them is no number.
  double distance = std::numeric_limits<double>::quiet_NaN();
};

// In the order of the stored value; what only the replayed one has comes last. Numbers are the same
// if their digits are, so -0 is not 0. None: the same, but for the order of keys.
std::optional<JsonDifference> first_difference(const Json& stored, const Json& replayed);

}  // namespace rgu
