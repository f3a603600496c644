// Sequences of different lengths as the rows of one table.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rgu/llm/files/token_id.hpp"

namespace rgu::llm {

enum class PaddingSide { kLeft, kRight };

struct PaddingOptions {
  PaddingSide side = PaddingSide::kRight;
  TokenId pad = 0;
  std::int64_t multiple = 1;  // the number of columns is rounded up to a multiple of it
};

struct PaddedBatch {
  std::int64_t rows = 0;
  std::int64_t columns = 0;             // of the longest row, rounded up
  std::vector<TokenId> ids = {};        // (rows, columns), row-major
  std::vector<std::uint8_t> mask = {};  // (rows, columns): 1 for tokens of the row, 0 for padding
  std::vector<std::int64_t> lengths = {};  // (rows)
};

// Throws InvalidInput if multiple < 1.
PaddedBatch pad(std::span<const std::vector<TokenId>> sequences, const PaddingOptions& options);

}  // namespace rgu::llm
