// Keys and values of the positions a model has read.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "rgu/llm/files/model_config.hpp"

namespace rgu::llm {

// Room for `capacity` positions of `rows` sequences, allocated once. A forward pass with a cache
// reads its ids as the positions that follow those in the cache, and adds them. Without gradients
// only.
class KeyValueCache {
 public:
  struct Size {
    std::int64_t rows = 1;
    std::int64_t capacity = 1;
  };
  // `like` gives the data type and the device: any weight of the model.
  KeyValueCache(const ModelConfig& config, Size size, const at::Tensor& like);

  std::int64_t rows() const { return mask_.size(0); }
  std::int64_t length() const { return length_; }  // positions held
  std::int64_t capacity() const { return mask_.size(1); }

  // Only these rows (int64 indices), in this order.
  void keep_rows(const at::Tensor& rows);

  // For the model: begins the positions of `mask` (rows, T), gives the mask of all positions up to
  // then.
  at::Tensor append_mask(const at::Tensor& mask);
  struct Layer {
    at::Tensor keys;    // (rows, key_value_heads, positions, head_size)
    at::Tensor values;  // the same
  };
  // Puts keys and values of the new positions, gives those of all.
  Layer append(std::int64_t layer, const Layer& added);

 private:
  std::vector<Layer> layers_;
  at::Tensor mask_;  // (rows, capacity), int64
  std::int64_t length_ = 0;
  std::int64_t added_ = 0;  // positions at the end that append fills
};

}  // namespace rgu::llm
