// Event files as TensorBoard reads them, one record after the other.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rgu/base/types.hpp"

namespace rgu {

// The first record of a file. wall_time: seconds since 1970.
std::string event_header(double wall_time);

// One record with named numbers of one step.
std::string scalar_event(double wall_time, Index step,
                         const std::vector<std::pair<std::string, double>>& scalars);

}  // namespace rgu
