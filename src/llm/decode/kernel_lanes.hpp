// Arithmetic on vectors of floats as GCC and Clang extend C++ with them. `Lanes` says how wide they
// are, how to fill one and how to multiply and add. Included only by the files that compile the
// kernels for one instruction set each: everything is local to the including file, and no other
// header with inline functions is included, so that nothing compiled with their flags can be linked
// into code that runs on another CPU.
#pragma once

#include <cstdint>

#include "rgu/llm/decode/kernels.hpp"

#define RGU_INLINE inline __attribute__((always_inline))

// NOLINTBEGIN(misc-definitions-in-headers): every file that includes this has its own
namespace rgu::llm::decode {
namespace {

constexpr float kInfinity = __builtin_huge_valf();

template <class Lanes>
using Floats = typename Lanes::Floats;

template <class Lanes>
RGU_INLINE Floats<Lanes> load(const float* from) {
  Floats<Lanes> values;
  __builtin_memcpy(&values, from, sizeof(values));
  return values;
}

template <class Lanes>
RGU_INLINE void store(float* to, Floats<Lanes> values) {
  __builtin_memcpy(to, &values, sizeof(values));
}

template <class Lanes>
RGU_INLINE Floats<Lanes> all(float value) {
  return Lanes::all(value);
}

template <class Lanes>
RGU_INLINE Floats<Lanes> larger(Floats<Lanes> a, Floats<Lanes> b) {
  return a > b ? a : b;  // b where either is NaN
}

// Over the lanes in their order.
template <class Lanes>
RGU_INLINE double sum(Floats<Lanes> values) {
  double total = 0;
  for (int i = 0; i < Lanes::kWidth; ++i) total += static_cast<double>(values[i]);
  return total;
}

template <class Lanes>
RGU_INLINE float largest(Floats<Lanes> values) {
  float most = values[0];
  for (int i = 1; i < Lanes::kWidth; ++i) most = values[i] > most ? values[i] : most;
  return most;
}

// exp(x): x = n log 2 + r with |r| <= (log 2) / 2, exp(r) by its Taylor series to degree 7
// (truncation below 1e-8), times 2^n. 0 below -87, and at most exp(88).
template <class Lanes>
RGU_INLINE Floats<Lanes> exponential(Floats<Lanes> x) {
  using V = Floats<Lanes>;
  const auto vanishes = x < all<Lanes>(-87.0f);
  x = x < all<Lanes>(-87.0f) ? all<Lanes>(-87.0f) : x;  // a NaN stays
  x = x > all<Lanes>(88.0f) ? all<Lanes>(88.0f) : x;
  constexpr float kShift = 0x1.8p23f;  // adding it rounds to an integer, kept in the low bits
  const V shifted = Lanes::fused(x, all<Lanes>(0x1.715476p0f), all<Lanes>(kShift));
  const V n = shifted - kShift;
  V r = Lanes::fused(n, all<Lanes>(-0x1.62e4p-1f), x);  // log 2 in two parts
  r = Lanes::fused(n, all<Lanes>(-0x1.7f7d1cp-20f), r);
  V tail = all<Lanes>(1.0f / 5040);
  tail = Lanes::fused(tail, r, all<Lanes>(1.0f / 720));
  tail = Lanes::fused(tail, r, all<Lanes>(1.0f / 120));
  tail = Lanes::fused(tail, r, all<Lanes>(1.0f / 24));
  tail = Lanes::fused(tail, r, all<Lanes>(1.0f / 6));
  tail = Lanes::fused(tail, r, all<Lanes>(0.5f));
  tail = Lanes::fused(tail, r, all<Lanes>(1.0f));
  const V exp_r = Lanes::fused(tail, r, all<Lanes>(1.0f));
  const auto power = (reinterpret_cast<typename Lanes::Bits>(shifted) << 23) + (127u << 23);
  return vanishes ? all<Lanes>(0.0f) : exp_r * reinterpret_cast<V>(power);
}

// x Phi(x). Phi(-a) = exp(-a^2 / 2) f(a) for a = |x| >= 0, where f is smooth: a polynomial of
// degree 10 in t = (a - 4) / (a + 4), fitted to 4e-9 on 0 <= a <= 14.5 (Phi(-14.5) < 1e-47).
template <class Lanes>
RGU_INLINE Floats<Lanes> gelu_of(Floats<Lanes> x) {
  using V = Floats<Lanes>;
  constexpr float kTail[] = {
      1.1562313680594939e-05f, -4.782105929214712e-05f, -0.0001735261419415102f,
      0.0006424332949733609f,  0.0005030200395275748f,  -0.008493172145880612f,
      0.030865498451032824f,   -0.07170730764370656f,   0.12437921483328357f,
      -0.17039772340606332f,   0.09441064168734424f};
  V a = x < all<Lanes>(0.0f) ? -x : x;
  a = a > all<Lanes>(14.5f) ? all<Lanes>(14.5f) : a;
  const V t = (a - 4.0f) / (a + 4.0f);
  V f = all<Lanes>(kTail[0]);
  for (int i = 1; i < 11; ++i) f = Lanes::fused(f, t, all<Lanes>(kTail[i]));
  const V below = exponential<Lanes>(a * a * -0.5f) * f;
  return x * (x < all<Lanes>(0.0f) ? below : 1.0f - below);
}

// x / (1 + exp(-u)).
template <class Lanes>
RGU_INLINE Floats<Lanes> gated(Floats<Lanes> x, Floats<Lanes> u) {
  return x / (1.0f + exponential<Lanes>(-u));
}

// (1 + tanh(v)) / 2 = 1 / (1 + exp(-2 v)), v = sqrt(2 / pi) (x + 0.044715 x^3).
template <class Lanes>
RGU_INLINE Floats<Lanes> gelu_tanh_of(Floats<Lanes> x) {
  const Floats<Lanes> cubic = Lanes::fused(x * x * 0.044715f, x, x);
  return gated<Lanes>(x, cubic * 1.5957691216057308f);
}

}  // namespace
}  // namespace rgu::llm::decode
// NOLINTEND(misc-definitions-in-headers)
