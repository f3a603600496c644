// The output head: logits, and the parts of their softmax while they are still in the cache.
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "rgu/llm/decode/packed_model.hpp"
#include "rgu/llm/decode/team.hpp"

namespace rgu::llm::decode {

inline constexpr Size kGroupPanels = 8;
inline constexpr Size kGroup =
    kGroupPanels * kPanel;  // tokens of a group, the unit of the head's work

// The logits of one row, by groups of tokens; -infinity where a group goes beyond the vocabulary.
struct LogitsRow {
  const float* logits = nullptr;  // of group 0; those of group g lie g * group_stride further on
  Size group_stride = 0;
  std::span<const SoftmaxPart> parts = {};  // of each group, scaled
  Size vocabulary = 0;

  const float* group(Size g) const { return logits + g * group_stride; }
  float at(Size token) const { return group(token / kGroup)[token % kGroup]; }
};

// Logits of up to `rows` rows, as (groups, rows, kGroup).
class Logits {
 public:
  Logits(const PackedModel& model, Size rows);

  // Before each head().
  void start(Size rows) {
    rows_ = rows;
    next_ = 0;
  }
  // Rows of `outputs` to logits, with parts of softmax(scale * logits). Called by every thread of a
  // team; whoever reads the logits waits at a barrier first.
  void head(const PackedModel& model, const Kernels& kernels, const Rows& outputs, float scale);

  LogitsRow row(Size i) const;

 private:
  Size vocabulary_ = 0;
  Size groups_ = 0;
  Size rows_ = 0;
  FloatBuffer logits_ = {};
  std::vector<SoftmaxPart> parts_ = {};  // (rows, groups)
  std::atomic<Size> next_ = 0;           // group that no thread has taken
};

}  // namespace rgu::llm::decode
