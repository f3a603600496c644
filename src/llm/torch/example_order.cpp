#include "rgu/llm/torch/example_order.hpp"

#include <numeric>
#include <utility>

#include "rgu/base/rng.hpp"

namespace rgu::llm {
namespace {

std::vector<std::int64_t> permutation(std::int64_t size, Rng rng) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(size));
  std::iota(values.begin(), values.end(), 0);
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[rng.below(i)]);
  return values;
}

}  // namespace

std::vector<std::int64_t> ExampleOrder::examples(Stretch stretch) {
  std::vector<std::int64_t> chosen;
  chosen.reserve(static_cast<std::size_t>(stretch.count));
  for (std::int64_t i = stretch.first; i < stretch.first + stretch.count; ++i) {
    const std::int64_t epoch = i / data_.examples;
    if (epoch != epoch_) {
      const std::uint64_t stream = training_stream::kOrder + static_cast<std::uint64_t>(epoch);
      permutation_ = permutation(data_.examples, Rng(data_.seed, stream));
      epoch_ = epoch;
    }
    chosen.push_back(permutation_[static_cast<std::size_t>(i % data_.examples)]);
  }
  return chosen;
}

}  // namespace rgu::llm
