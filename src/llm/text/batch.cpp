#include "rgu/llm/text/batch.hpp"

#include <algorithm>
#include <iterator>

#include "rgu/base/check.hpp"

namespace rgu::llm {
namespace {

std::int64_t rounded_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

PaddedBatch pad(std::span<const std::vector<TokenId>> sequences, const PaddingOptions& options) {
  check_count("multiple of a padded batch", options.multiple);
  PaddedBatch batch{.rows = std::ssize(sequences)};
  for (const std::vector<TokenId>& sequence : sequences) {
    batch.lengths.push_back(std::ssize(sequence));
    batch.columns = std::max(batch.columns, std::ssize(sequence));
  }
  batch.columns = rounded_up(batch.columns, options.multiple);
  const auto cells = static_cast<std::size_t>(batch.rows * batch.columns);
  batch.ids.assign(cells, options.pad);
  batch.mask.assign(cells, 0);
  for (std::int64_t row = 0; row < batch.rows; ++row) {
    const std::vector<TokenId>& sequence = sequences[static_cast<std::size_t>(row)];
    const std::int64_t free = batch.columns - std::ssize(sequence);
    const std::int64_t begin =
        row * batch.columns + (options.side == PaddingSide::kLeft ? free : 0);
    std::copy(sequence.begin(), sequence.end(), batch.ids.begin() + begin);
    std::fill_n(batch.mask.begin() + begin, sequence.size(), std::uint8_t{1});
  }
  return batch;
}

}  // namespace rgu::llm
