// Attention for training on a CPU: the heads side by side on the threads, without copies between
// layouts.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "rgu/llm/torch/attention.hpp"

namespace rgu::llm {

struct AttentionShape {
  std::int64_t batch = 0;
  std::int64_t tokens = 0;
  std::int64_t heads = 0;
  std::int64_t key_value_heads = 0;
  std::int64_t head_size = 0;
};

// Whether attended_projections can take these.
bool fits_cpu_attention(const std::vector<at::Tensor>& projections);

// As `rotated` and `attended` for tokens that attend to each other, with its own gradient.
// `projections` is one matrix (B T, heads * 3 * head size) that has for each head its query, key
// and value, or three: queries (B T, heads * head size), keys and values (B T, key value heads *
// head size). float32 on the CPU. The answer is (B T, heads * head size).
at::Tensor attended_projections(const std::vector<at::Tensor>& projections,
                                const AttentionShape& shape, const Rotation& rotation,
                                const at::Tensor& bias);

}  // namespace rgu::llm
