// Two ends for each coordinate.
#pragma once

#include "rgu/base/types.hpp"

namespace rgu {

struct Bounds {
  Vector lower;
  Vector upper;
};

}  // namespace rgu
