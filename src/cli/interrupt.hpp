// Ctrl-C and SIGTERM, as a flag.
#pragma once

#include <atomic>

namespace rgu {

// From the first call on, SIGINT and SIGTERM set the flag; a second one ends the process at once.
const std::atomic<bool>& interrupt_flag();

}  // namespace rgu
