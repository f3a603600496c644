// CRC-32C (Castagnoli): tells a damaged file from a whole one.
#pragma once

#include <cstdint>
#include <string_view>

namespace rgu {

std::uint32_t crc32c(std::string_view bytes);

}  // namespace rgu
