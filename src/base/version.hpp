#pragma once

#include <string>

namespace rgu {

// "rgu 0.1.0, g++ 12.2.0, release".
std::string version_text();

}  // namespace rgu
