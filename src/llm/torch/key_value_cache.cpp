#include "rgu/llm/torch/key_value_cache.hpp"

#include <ATen/ATen.h>

#include "rgu/base/check.hpp"

namespace rgu::llm {

KeyValueCache::KeyValueCache(const ModelConfig& config, Size size, const at::Tensor& like) {
  check(size.rows >= 1 && size.capacity >= 1,
        "a cache of {} rows and {} positions: must be at least 1 each", size.rows, size.capacity);
  const auto options = like.options().requires_grad(false);
  const std::vector<std::int64_t> shape = {size.rows, config.key_value_heads, size.capacity,
                                           config.head_size()};
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    layers_.push_back({.keys = at::zeros(shape, options), .values = at::zeros(shape, options)});
  }
  mask_ = at::zeros({size.rows, size.capacity}, options.dtype(at::kLong));
}

void KeyValueCache::keep_rows(const at::Tensor& rows) {
  const at::Tensor index = rows.to(mask_.device());
  mask_ = mask_.index_select(0, index);
  for (Layer& layer : layers_) {
    layer.keys = layer.keys.index_select(0, index);
    layer.values = layer.values.index_select(0, index);
  }
}

at::Tensor KeyValueCache::append_mask(const at::Tensor& mask) {
  check(mask.size(0) == rows(), "{} sequences for a cache of {}", mask.size(0), rows());
  check(length_ + mask.size(1) <= capacity(), "{} positions after {} in a cache for {}",
        mask.size(1), length_, capacity());
  added_ = mask.size(1);
  mask_.narrow(1, length_, added_).copy_(mask);
  length_ += added_;
  return mask_.narrow(1, 0, length_);
}

KeyValueCache::Layer KeyValueCache::append(std::int64_t layer, const Layer& added) {
  const Layer& all = layers_[static_cast<std::size_t>(layer)];
  all.keys.narrow(2, length_ - added_, added_).copy_(added.keys);
  all.values.narrow(2, length_ - added_, added_).copy_(added.values);
  return {.keys = all.keys.narrow(2, 0, length_), .values = all.values.narrow(2, 0, length_)};
}

}  // namespace rgu::llm
