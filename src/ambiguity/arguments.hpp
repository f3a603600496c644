// Validation shared by the sets of this folder.
#pragma once

#include <string_view>

#include "rgu/base/check.hpp"
#include "rgu/base/types.hpp"

namespace rgu {

// Throws InvalidInput unless `vector` has `dimension` entries, all finite.
inline void check_argument(std::string_view name, const Vector& vector, Index dimension) {
  check_size(name, vector.size(), dimension);
  check_finite(name, vector);
}

}  // namespace rgu
