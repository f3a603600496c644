// What every tokenizer asks of the ids and texts it is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rgu/base/check.hpp"
#include "rgu/llm/files/token_id.hpp"

namespace rgu::llm {

// Ids that a tokenizer's file may use: far above any vocabulary, far below what would exhaust
// memory.
inline constexpr std::int64_t kLargestVocabulary = std::int64_t{1} << 22;

// Texts are encoded whole, with 32-bit positions.
inline constexpr std::size_t kLargestText = std::size_t{1} << 30;  // bytes

inline std::size_t checked_index(TokenId id, std::int64_t size) {
  check(id >= 0 && id < size, "token id {} is outside the vocabulary, must be 0 to {}", id,
        size - 1);
  return static_cast<std::size_t>(id);
}

inline void check_text_size(std::string_view text) {
  check(text.size() <= kLargestText, "a text to encode has {} bytes, must have at most {}",
        text.size(), kLargestText);
}

}  // namespace rgu::llm
