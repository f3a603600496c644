// The attention of one query, and sums of exponentials.
#pragma once

#include "rgu/llm/decode/kernel_lanes.hpp"

namespace rgu::llm::decode {
namespace {

template <class Lanes>
SoftmaxPart softmax_part(const float* x, Size size, float scale) {
  using V = Floats<Lanes>;
  V most = load<Lanes>(x);
  for (Size i = Lanes::kWidth; i < size; i += Lanes::kWidth) {
    most = larger<Lanes>(load<Lanes>(x + i), most);
  }
  const float max = largest<Lanes>(most);
  if (max == -kInfinity) return {max, 0.0f};
  V total = {};
  for (Size i = 0; i < size; i += Lanes::kWidth) {
    total += exponential<Lanes>((load<Lanes>(x + i) - max) * scale);
  }
  return {max, static_cast<float>(sum<Lanes>(total))};
}

template <class Lanes>
void exponentials(const float* x, Size size, float max, float scale, float* y) {
  for (Size i = 0; i < size; i += Lanes::kWidth) {
    store<Lanes>(y + i, exponential<Lanes>((load<Lanes>(x + i) - max) * scale));
  }
}

// scores of kBlocks key blocks at once: <query, key_t> in the order of the dimensions.
template <class Lanes, int kBlocks>
void score_blocks(const Attention& a, Size block) {
  using V = Floats<Lanes>;
  constexpr int kVectors = kKeyBlock / Lanes::kWidth;
  const float* keys = a.keys + block * a.size * kKeyBlock;
  V score[kBlocks][kVectors] = {};
  for (Size d = 0; d < a.size; ++d) {
    const V query = all<Lanes>(a.query[d]);
#pragma GCC unroll 16
    for (int b = 0; b < kBlocks; ++b) {
#pragma GCC unroll 16
      for (int j = 0; j < kVectors; ++j) {
        const float* key = keys + (b * a.size + d) * kKeyBlock + j * Lanes::kWidth;
        score[b][j] = Lanes::fused(query, load<Lanes>(key), score[b][j]);
      }
    }
  }
#pragma GCC unroll 16
  for (int b = 0; b < kBlocks; ++b) {
#pragma GCC unroll 16
    for (int j = 0; j < kVectors; ++j) {
      store<Lanes>(a.scores + (block + b) * kKeyBlock + j * Lanes::kWidth, score[b][j]);
    }
  }
}

// kVectors vectors of the result from column `column` on: the even and the odd positions are summed
// apart, so that one addition need not wait for the last.
template <class Lanes, int kVectors>
void weigh_values(const Attention& a, Size column, float scale) {
  using V = Floats<Lanes>;
  V even[kVectors] = {};
  V odd[kVectors] = {};
  const float* value = a.values + column;
  Size t = 0;
  for (; t + 1 < a.positions; t += 2, value += 2 * a.padded_size) {
    const V first = all<Lanes>(a.scores[t]);
    const V second = all<Lanes>(a.scores[t + 1]);
#pragma GCC unroll 16
    for (int j = 0; j < kVectors; ++j) {
      even[j] = Lanes::fused(first, load<Lanes>(value + j * Lanes::kWidth), even[j]);
      odd[j] = Lanes::fused(second, load<Lanes>(value + a.padded_size + j * Lanes::kWidth), odd[j]);
    }
  }
  const V last = all<Lanes>(t < a.positions ? a.scores[t] : 0.0f);
  if (t == a.positions) value = a.values + column;
#pragma GCC unroll 16
  for (int j = 0; j < kVectors; ++j) {
    even[j] = Lanes::fused(last, load<Lanes>(value + j * Lanes::kWidth), even[j]);
    store<Lanes>(a.result + column + j * Lanes::kWidth, (even[j] + odd[j]) * scale);
  }
}

template <class Lanes>
void attend(const Attention& a) {
  const Size blocks = (a.positions + kKeyBlock - 1) / kKeyBlock;
  Size block = 0;
  for (; block + Lanes::kBlocks <= blocks; block += Lanes::kBlocks) {
    score_blocks<Lanes, Lanes::kBlocks>(a, block);
  }
  for (; block < blocks; ++block) score_blocks<Lanes, 1>(a, block);
  for (Size t = a.positions; t < blocks * kKeyBlock; ++t) a.scores[t] = -kInfinity;
  const SoftmaxPart part = softmax_part<Lanes>(a.scores, blocks * kKeyBlock, 1.0f);
  exponentials<Lanes>(a.scores, blocks * kKeyBlock, part.max, 1.0f, a.scores);
  const float scale = 1.0f / part.sum;
  constexpr Size kWide = Lanes::kWidth * 4;
  Size column = 0;
  for (; column + kWide <= a.padded_size; column += kWide) weigh_values<Lanes, 4>(a, column, scale);
  for (; column < a.padded_size; column += Lanes::kWidth) weigh_values<Lanes, 1>(a, column, scale);
}

}  // namespace
}  // namespace rgu::llm::decode
