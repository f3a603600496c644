// What products and intersections are made of.
#pragma once

#include <memory>
#include <vector>

#include "rgu/base/convex_set.hpp"

namespace rgu {

using SetParts = std::vector<std::shared_ptr<const ConvexSet>>;

}  // namespace rgu
