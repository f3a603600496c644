#pragma once

#include <cstdint>

namespace rgu::llm {

using TokenId = std::int32_t;

}  // namespace rgu::llm
