// A count that may change from one outer iteration to the next: inner steps, trajectories,
// horizons.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "rgu/base/types.hpp"

namespace rgu {

// g(k): log(k + 1), k, or (k + 1)^2.
enum class Growth { kLog, kLinear, kQuadratic };

// min(max, max(1, ceil(base + rate g(k)))). A base below 0 delays the growth.
struct GrowingCount {
  double base = 1;
  double rate = 1;
  Growth growth = Growth::kLinear;
  Index max = 1000000;

  bool operator==(const GrowingCount&) const = default;
};

struct Schedule {
  std::vector<Index> values = {1};                     // of k = 0, 1, ..; the last entry repeats
  std::optional<GrowingCount> growing = std::nullopt;  // where set, in place of the values

  // The count of iteration k >= 0: at least 1 for a schedule that check_schedule accepts.
  Index at(Index k) const;

  bool operator==(const Schedule&) const = default;
};

// Throws InvalidInput unless base and rate are finite, rate >= 0 and max >= 1, or, where nothing
// grows, the list is not empty and has entries >= 1.
void check_schedule(std::string_view name, const Schedule& schedule);

}  // namespace rgu
