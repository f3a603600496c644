// The keys and values of one sequence, and the attention of its newest tokens.
#pragma once

#include <vector>

#include "rgu/llm/decode/packed_model.hpp"

namespace rgu::llm::decode {

// For every layer and key-value head: keys (blocks of 16 positions, size, 16), values (positions,
// padded size). No position is padding: position t of the cache is token t of the sequence.
class KeyValueCache {
 public:
  KeyValueCache() = default;
  KeyValueCache(const PackedModel& model, Size positions);

  float* keys(Size layer, Size head) { return memory_.data() + offset(layer, head); }
  float* values(Size layer, Size head) {
    return memory_.data() + offset(layer, head) + capacity_ * size_;
  }
  Size padded_size() const { return padded_size_; }

  // Positions 0 .. positions - 1 as `other` has them.
  void copy_from(const KeyValueCache& other, Size positions);

 private:
  Size offset(Size layer, Size head) const {
    return (layer * heads_ + head) * capacity_ * (size_ + padded_size_);
  }

  Size layers_ = 0;
  Size heads_ = 0;
  Size size_ = 0;
  Size padded_size_ = 0;
  Size capacity_ = 0;  // positions, a multiple of 16
  FloatBuffer memory_ = {};
};

// Consecutive tokens of one sequence among the rows of a pass.
struct Run {
  KeyValueCache* cache = nullptr;
  Size first_row = 0;
  Size rows = 0;
  Size first_position = 0;
};

// cos and sin of position * base^(-2 i / rotary size), i = 0 .. rotary size / 2 - 1.
class Angles {
 public:
  Angles() = default;
  Angles(const ModelConfig& config, Size rows);

  void turn_to(Size row, Size position);
  // Rotates the pairs (i, i + rotary size / 2) of `x`, a head of this row.
  void rotate(Size row, float* x) const;

 private:
  std::vector<double> frequencies_ = {};
  std::vector<float> cosines_ = {};
  std::vector<float> sines_ = {};
};

// What one thread needs beside.
struct AttentionScratch {
  FloatBuffer query = {};
  FloatBuffer result = {};
  FloatBuffer scores = {};

  AttentionScratch() = default;
  AttentionScratch(const PackedModel& model, Size positions);
};

// One key-value head of one layer for one run: puts its keys and values into the cache, then gives
// each row's heads of that group to `to`. `queries` rows are (queries, keys, values).
struct AttentionRows {
  const Rows* from = nullptr;
  Rows* to = nullptr;
  const Angles* angles = nullptr;
};
void attend_run(const PackedModel& model, const Kernels& kernels, Size layer, Size head,
                const Run& run, const AttentionRows& rows, AttentionScratch& scratch);

}  // namespace rgu::llm::decode
