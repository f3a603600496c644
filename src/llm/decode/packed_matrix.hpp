// A linear map packed for Kernels::product.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "rgu/llm/decode/float_buffer.hpp"
#include "rgu/llm/files/tensor.hpp"

namespace rgu::llm::decode {

// The gain and the shift of a norm, to be folded into the linear map that follows it:
//   W (gain * n + shift) + b = (W diag(gain)) n + (W shift + b).
struct NormGain {
  std::vector<float> gain = {};
  std::vector<float> shift = {};  // empty: 0
};

// A linear map as the files have it.
struct LinearSource {
  TensorView weight = {};               // (rows, columns)
  std::optional<TensorView> bias = {};  // (rows)
  const NormGain* norm = nullptr;       // of what it is applied to; none: taken as it is
};

// y = W x + bias.
class PackedMatrix {
 public:
  // W of shape (outputs, depth), bias 0. Every row that is not padding must then be placed; memory
  // of that shape is used again.
  void reshape(Size outputs, Size depth);

  // Row r of `source` becomes output `output_of(r)`, its columns depth `first_depth` on; its bias
  // is added to what that output has.
  void place(const LinearSource& source, Size first_depth, int threads,
             const std::function<Size(Size)>& output_of);

  Size depth() const { return depth_; }
  Size panels() const { return panels_; }
  const float* panel(Size p) const { return weights_.data() + p * depth_ * kPanel; }
  const float* bias(Size p) const { return bias_.data() + p * kPanel; }
  std::size_t bytes() const {
    return static_cast<std::size_t>(weights_.size() + bias_.size()) * sizeof(float);
  }

 private:
  Size depth_ = 0;
  Size panels_ = 0;
  FloatBuffer weights_ = {};
  FloatBuffer bias_ = {};
};

}  // namespace rgu::llm::decode
