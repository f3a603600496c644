// How the parts of a sum of utilities and of a product of sets line up.
#pragma once

#include <optional>
#include <vector>

#include "rgu/base/convex_set.hpp"
#include "rgu/utility/sum.hpp"

namespace rgu {

// One part of a sum and the set of its own piece of xi. A view.
struct NatureBlock {
  double weight = 1;
  const Utility* utility = nullptr;
  const ConvexSet* set = nullptr;  // null if the part has no xi
  Index begin = 0;                 // its piece of xi is [begin, begin + dimension)
};

// Each part of the sum with its set: the parts of the product one after the other (those of
// dimension 0 left out on both sides), or the whole set if only one part has a xi. Empty if the
// dimensions do not match.
std::optional<std::vector<NatureBlock>> aligned_blocks(const Sum& sum, const ConvexSet& set);

}  // namespace rgu
