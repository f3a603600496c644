// Which problems may be made while fuzzing.
#pragma once

#include "rgu/experiment/config.hpp"

namespace rgu::fuzz {

// Does the config ask for a small model, few features and short demonstrations, and for no file?
// What a config may rightly ask for has no bound but memory and time, so a large one is no finding.
bool is_small(const ProblemConfig& config);

}  // namespace rgu::fuzz
