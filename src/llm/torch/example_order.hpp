// In which order a run reads its examples.
#pragma once

#include <cstdint>
#include <vector>

namespace rgu::llm {

// The random streams of a training run.
namespace training_stream {
inline constexpr std::uint64_t kNewWeights = 1;
inline constexpr std::uint64_t kDropout = 2;
inline constexpr std::uint64_t kNewHead = 3;
inline constexpr std::uint64_t kOrder = 4;  // of epoch 0; those of later epochs follow
}  // namespace training_stream

// Epoch after epoch, each a fresh permutation of all examples, in one row. A batch is a stretch of
// it: it depends on the seed and on where it begins, and on nothing before, so a run can go on
// anywhere.
class ExampleOrder {
 public:
  struct Data {
    std::int64_t examples = 0;
    std::uint64_t seed = 0;
  };
  explicit ExampleOrder(Data data) : data_(data) {}

  struct Stretch {
    std::int64_t first = 0;
    std::int64_t count = 0;
  };
  std::vector<std::int64_t> examples(Stretch stretch);

 private:
  Data data_;
  std::int64_t epoch_ = -1;  // of the permutation at hand
  std::vector<std::int64_t> permutation_;
};

}  // namespace rgu::llm
