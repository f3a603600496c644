// The ranks that a test runs on.
#pragma once

#include "rgu/base/ranks.hpp"

namespace rgu {
Ranks& job();
}  // namespace rgu
