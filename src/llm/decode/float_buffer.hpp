// Memory for the numbers of the decode path.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

#include "rgu/llm/decode/kernels.hpp"

namespace rgu::llm::decode {

// Floats without initial values, aligned to 64 bytes; large ones ask for large pages. Memory that
// is never written takes none.
class FloatBuffer {
 public:
  FloatBuffer() = default;
  explicit FloatBuffer(Size size);  // throws std::bad_alloc

  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }
  Size size() const { return size_; }

 private:
  struct Free {
    void operator()(float* memory) const { std::free(memory); }
  };
  std::unique_ptr<float, Free> data_ = {};
  Size size_ = 0;
};

FloatBuffer zeros(Size size);

constexpr Size rounded_up(Size value, Size multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Rows of activations, `stride` apart: an odd number of cache lines, so that the same columns of
// many rows do not fall into the same few places of the cache. What pads a row is 0.
class Rows {
 public:
  Rows() = default;
  Rows(Size rows, Size width)
      : stride_(rounded_up(width, 32) + 16), values_(zeros(rows * stride_)) {}

  Size stride() const { return stride_; }
  float* row(Size i) { return values_.data() + i * stride_; }
  const float* row(Size i) const { return values_.data() + i * stride_; }

 private:
  Size stride_ = 0;
  FloatBuffer values_ = {};
};

}  // namespace rgu::llm::decode
