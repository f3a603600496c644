#include "rgu/llm/decode/head.hpp"

#include <algorithm>
#include <limits>

namespace rgu::llm::decode {

Logits::Logits(const PackedModel& model, Size rows)
    : vocabulary_(model.config.vocabulary),
      groups_((model.head.panels() + kGroupPanels - 1) / kGroupPanels),
      rows_(rows),
      logits_(groups_ * rows * kGroup),
      parts_(static_cast<std::size_t>(groups_ * rows)) {}

// Groups are taken one by one: a thread that is held up takes fewer. A group's numbers do not
// depend on who computes them.
void Logits::head(const PackedModel& model, const Kernels& kernels, const Rows& outputs,
                  float scale) {
  for (Size g = next_++; g < groups_; g = next_++) {
    const Size first = g * kGroupPanels;
    float* logits = logits_.data() + g * rows_ * kGroup;
    kernels.product({.x = outputs.row(0),
                     .x_stride = outputs.stride(),
                     .rows = rows_,
                     .weights = model.head.panel(first),
                     .depth = model.head.depth(),
                     .panels = std::min(kGroupPanels, model.head.panels() - first),
                     .bias = model.head.bias(first),
                     .y = logits,
                     .y_stride = kGroup,
                     .add = false});
    const Size used = std::min(kGroup, vocabulary_ - g * kGroup);
    for (Size i = 0; i < rows_; ++i) {
      float* row = logits + i * kGroup;
      std::fill(row + used, row + kGroup, -std::numeric_limits<float>::infinity());
      parts_[static_cast<std::size_t>(i * groups_ + g)] = kernels.softmax_part(row, kGroup, scale);
    }
  }
}

LogitsRow Logits::row(Size i) const {
  const std::span<const SoftmaxPart> parts = parts_;
  return {.logits = logits_.data() + i * kGroup,
          .group_stride = rows_ * kGroup,
          .parts = parts.subspan(static_cast<std::size_t>(i * groups_),
                                 static_cast<std::size_t>(groups_)),
          .vocabulary = vocabulary_};
}

}  // namespace rgu::llm::decode
