// A llama2.c model of 1 layer, 8 wide, with 2 heads, 1 of keys and values, 3 tokens, 5 positions, 3
// inner units, whose numbers count up from 0 through the file.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

namespace rgu::llm {

struct SmallLlama2c {
  bool tied = true;
};

inline std::string small_llama2c(SmallLlama2c kind = {}) {
  const std::array<std::int32_t, 7> header = {8, 3, 1, 2, 1, kind.tied ? 3 : -3, 5};
  std::size_t count = 3 * 8 + 8 + 8 * 8 + 4 * 8 + 4 * 8 + 8 * 8 + 8 + 3 * (3 * 8) + 8 + 2 * 5 * 2;
  if (!kind.tied) count += 3 * 8;
  std::string bytes(sizeof(header) + count * sizeof(float), '\0');
  std::memcpy(bytes.data(), header.data(), sizeof(header));
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<float>(i);
    std::memcpy(bytes.data() + sizeof(header) + i * sizeof(float), &value, sizeof(float));
  }
  return bytes;
}

}  // namespace rgu::llm
