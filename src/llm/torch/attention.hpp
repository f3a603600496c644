// Rotary positions, causal masks and attention of many heads.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "rgu/llm/files/model_config.hpp"

namespace rgu::llm {

// cos and sin of position * base^(-2i / size), for i below size / 2. By position: (positions, size
// / 2); for the tokens of a batch: (B or 1, T, size / 2).
struct Rotation {
  at::Tensor cos;
  at::Tensor sin;
};
Rotation rotation_table(const ModelConfig& config, const at::TensorOptions& options);
// Rows of the table for positions (B or 1, T).
Rotation rotation_at(const Rotation& table, const at::Tensor& positions);

// x (B, heads, T, head size) with its first `size` dimensions turned: dimensions i and i + size / 2
// are one plane ("rotate half"). The others are left as they are.
at::Tensor rotated(const at::Tensor& x, const Rotation& rotation);

// 0 where query t of the last T positions may look at position s, very negative elsewhere: shape
// (1, T, S) without a mask, (B, T, S) with a mask (B, S) of all positions.
struct Span {
  std::int64_t queries = 0;    // T
  std::int64_t positions = 0;  // S, at least T
};
at::Tensor causal_bias(Span span, const at::Tensor& mask, const at::TensorOptions& options);

struct HeadStates {
  at::Tensor queries;  // (B, heads, T, head size), turned
  at::Tensor keys;     // (B, key value heads, S, head size), turned
  at::Tensor values;   // (B, key value heads, S, head size)
};
// softmax(Q K^T / sqrt(head size) + bias) V as (B, T, heads * head size). Query heads share the
// keys and values of their group.
at::Tensor attended(const HeadStates& states, const at::Tensor& bias);

}  // namespace rgu::llm
