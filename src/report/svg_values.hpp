// Pairs of numbers, one under the other: where each begins and where it ends up.
#pragma once

#include <string>
#include <vector>

#include "rgu/report/svg.hpp"

namespace rgu::report {

struct ValuePair {
  std::string name;
  double from = 0;
  double to = 0;
  std::string remark;  // at the right end; may be empty
};

struct PairDrawing {
  std::string title;
  std::string from_name;
  std::string to_name;
  std::vector<ValuePair> pairs;
};

// A hollow point at `from`, a full one at `to`, a line between. Pairs without two finite numbers
// show what they have.
Svg draw_pairs(const PairDrawing& drawing);

}  // namespace rgu::report
