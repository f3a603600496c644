#include "rgu/llm/decode/attention.hpp"

#include <algorithm>
#include <cmath>

namespace rgu::llm::decode {
namespace {

// Row `row` of the run into position t of the cache.
void remember(const float* key, const float* value, Size size, Size padded, Size t, float* keys,
              float* values) {
  float* lane = keys + t / kKeyBlock * size * kKeyBlock + t % kKeyBlock;
  for (Size d = 0; d < size; ++d) lane[d * kKeyBlock] = key[d];
  std::copy_n(value, size, values + t * padded);
  std::fill_n(values + t * padded + size, padded - size, 0.0f);
}

}  // namespace

KeyValueCache::KeyValueCache(const PackedModel& model, Size positions)
    : layers_(model.config.layers),
      heads_(model.key_value_heads()),
      size_(model.head_size()),
      padded_size_(rounded_up(size_, 16)),
      capacity_(rounded_up(positions, kKeyBlock)),
      memory_(layers_ * heads_ * capacity_ * (size_ + padded_size_)) {}

void KeyValueCache::copy_from(const KeyValueCache& other, Size positions) {
  const Size keys = rounded_up(positions, kKeyBlock) * size_;
  for (Size part = 0; part < layers_ * heads_; ++part) {
    const float* from = other.memory_.data() + other.offset(0, part);
    float* to = memory_.data() + offset(0, part);
    std::copy_n(from, keys, to);
    std::copy_n(from + other.capacity_ * size_, positions * padded_size_, to + capacity_ * size_);
  }
}

Angles::Angles(const ModelConfig& config, Size rows) {
  const auto size = static_cast<double>(config.rotary_size());
  for (std::int64_t i = 0; i < config.rotary_size() / 2; ++i) {
    frequencies_.push_back(std::pow(config.rotary_base, -2.0 * static_cast<double>(i) / size));
  }
  cosines_.resize(static_cast<std::size_t>(rows) * frequencies_.size());
  sines_.resize(cosines_.size());
}

void Angles::turn_to(Size row, Size position) {
  const std::size_t first = static_cast<std::size_t>(row) * frequencies_.size();
  for (std::size_t i = 0; i < frequencies_.size(); ++i) {
    const double angle = static_cast<double>(position) * frequencies_[i];
    cosines_[first + i] = static_cast<float>(std::cos(angle));
    sines_[first + i] = static_cast<float>(std::sin(angle));
  }
}

void Angles::rotate(Size row, float* x) const {
  const std::size_t half = frequencies_.size();
  const float* cosine = cosines_.data() + static_cast<std::size_t>(row) * half;
  const float* sine = sines_.data() + static_cast<std::size_t>(row) * half;
  for (std::size_t i = 0; i < half; ++i) {
    const float first = x[i];
    const float second = x[half + i];
    x[i] = first * cosine[i] - second * sine[i];
    x[half + i] = second * cosine[i] + first * sine[i];
  }
}

AttentionScratch::AttentionScratch(const PackedModel& model, Size positions)
    : query(model.head_size()),
      result(rounded_up(model.head_size(), 16)),
      scores(rounded_up(positions, kKeyBlock)) {}

void attend_run(const PackedModel& model, const Kernels& kernels, Size layer, Size head,
                const Run& run, const AttentionRows& rows, AttentionScratch& scratch) {
  const Size size = model.head_size();
  const Size padded = run.cache->padded_size();
  const Size groups = model.key_value_heads();
  const Size queries = model.heads() / groups;  // heads that share these keys and values
  const float scale = 1.0f / std::sqrt(static_cast<float>(size));
  float* query = scratch.query.data();
  float* keys = run.cache->keys(layer, head);
  float* values = run.cache->values(layer, head);
  for (Size i = 0; i < run.rows; ++i) {
    const float* from = rows.from->row(run.first_row + i);
    std::copy_n(from + (model.heads() + head) * size, size, query);
    rows.angles->rotate(run.first_row + i, query);
    remember(query, from + (model.heads() + groups + head) * size, size, padded,
             run.first_position + i, keys, values);
  }
  for (Size i = 0; i < run.rows; ++i) {
    const Size row = run.first_row + i;
    for (Size number = head * queries; number < (head + 1) * queries; ++number) {
      const float* from = rows.from->row(row) + number * size;
      std::transform(from, from + size, query, [&](float value) { return value * scale; });
      rows.angles->rotate(row, query);
      kernels.attend({.query = query,
                      .keys = keys,
                      .values = values,
                      .positions = run.first_position + i + 1,
                      .size = size,
                      .padded_size = padded,
                      .scores = scratch.scores.data(),
                      .result = scratch.result.data()});
      std::copy_n(scratch.result.data(), size, rows.to->row(row) + number * size);
    }
  }
}

}  // namespace rgu::llm::decode
