// The kernels that work row by row, and the table of all for one kind of vectors.
#pragma once

#include "rgu/llm/decode/kernel_attention.hpp"
#include "rgu/llm/decode/kernel_lanes.hpp"
#include "rgu/llm/decode/kernel_product.hpp"

namespace rgu::llm::decode {
namespace {

// sum (x - center)^2 and sum x, the lanes apart and then together.
template <class Lanes>
double sum_of_squares(const float* x, Size size, float center) {
  Floats<Lanes> total = {};
  Size i = 0;
  for (; i + Lanes::kWidth <= size; i += Lanes::kWidth) {
    const Floats<Lanes> difference = load<Lanes>(x + i) - center;
    total = Lanes::fused(difference, difference, total);
  }
  double rest = 0;
  for (; i < size; ++i) {
    const double difference = static_cast<double>(x[i]) - static_cast<double>(center);
    rest += difference * difference;
  }
  return sum<Lanes>(total) + rest;
}

template <class Lanes>
double plain_sum(const float* x, Size size) {
  Floats<Lanes> total = {};
  Size i = 0;
  for (; i + Lanes::kWidth <= size; i += Lanes::kWidth) total += load<Lanes>(x + i);
  double rest = 0;
  for (; i < size; ++i) rest += static_cast<double>(x[i]);
  return sum<Lanes>(total) + rest;
}

template <class Lanes>
void shift_and_scale(const float* x, Size size, float center, float scale, float* y) {
  Size i = 0;
  for (; i + Lanes::kWidth <= size; i += Lanes::kWidth) {
    store<Lanes>(y + i, (load<Lanes>(x + i) - center) * scale);
  }
  for (; i < size; ++i) y[i] = (x[i] - center) * scale;
}

RGU_INLINE float reciprocal_root(double square, float epsilon) {
  return static_cast<float>(1.0 / __builtin_sqrt(square + static_cast<double>(epsilon)));
}

template <class Lanes>
void layer_norm(const float* x, Size size, float epsilon, float* y) {
  const auto count = static_cast<double>(size);
  const auto mean = static_cast<float>(plain_sum<Lanes>(x, size) / count);
  const double variance = sum_of_squares<Lanes>(x, size, mean) / count;
  shift_and_scale<Lanes>(x, size, mean, reciprocal_root(variance, epsilon), y);
}

template <class Lanes>
void rms_norm(const float* x, Size size, float epsilon, float* y) {
  const double square = sum_of_squares<Lanes>(x, size, 0.0f) / static_cast<double>(size);
  shift_and_scale<Lanes>(x, size, 0.0f, reciprocal_root(square, epsilon), y);
}

template <class Lanes>
void gelu(float* x, Size size) {
  for (Size i = 0; i < size; i += Lanes::kWidth) {
    store<Lanes>(x + i, gelu_of<Lanes>(load<Lanes>(x + i)));
  }
}

template <class Lanes>
void gelu_tanh(float* x, Size size) {
  for (Size i = 0; i < size; i += Lanes::kWidth) {
    store<Lanes>(x + i, gelu_tanh_of<Lanes>(load<Lanes>(x + i)));
  }
}

template <class Lanes>
void silu(float* x, Size size) {
  for (Size i = 0; i < size; i += Lanes::kWidth) {
    const Floats<Lanes> value = load<Lanes>(x + i);
    store<Lanes>(x + i, gated<Lanes>(value, value));
  }
}

template <class Lanes>
void multiply(float* x, const float* y, Size size) {
  for (Size i = 0; i < size; i += Lanes::kWidth) {
    store<Lanes>(x + i, load<Lanes>(x + i) * load<Lanes>(y + i));
  }
}

template <class Lanes>
constexpr Kernels kTable = {
    .product = product<Lanes>,
    .attend = attend<Lanes>,
    .layer_norm = layer_norm<Lanes>,
    .rms_norm = rms_norm<Lanes>,
    .gelu = gelu<Lanes>,
    .gelu_tanh = gelu_tanh<Lanes>,
    .silu = silu<Lanes>,
    .multiply = multiply<Lanes>,
    .softmax_part = softmax_part<Lanes>,
    .exponentials = exponentials<Lanes>,
};

}  // namespace
}  // namespace rgu::llm::decode
