#include "rgu/llm/files/half_float.hpp"

#include <bit>

namespace rgu::llm {
namespace {

constexpr std::uint32_t kInfinity = 0x7f800000;  // of F32; whatever is above is a NaN

}  // namespace

float float_of_f16(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1fu;
  const std::uint32_t fraction = bits & 0x3ffu;
  if (exponent == 0) {  // zero or subnormal: fraction * 2^-24, exact in F32
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  if (exponent == 31) return std::bit_cast<float>(sign | kInfinity | (fraction << 13));
  return std::bit_cast<float>(sign | ((exponent + 127 - 15) << 23) | (fraction << 13));
}

float float_of_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t f16_of(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  std::uint32_t half = 0;
  if (magnitude > kInfinity) {
    half = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
  } else if (magnitude >= 0x477ff000u) {  // 65520, the middle between 65504 and 2^16
    half = 0x7c00u;
  } else if (magnitude <
             0x38800000u) {  // below 2^-14 an F16 counts units of 2^-24, as floats at 1/2 do
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) -
           std::bit_cast<std::uint32_t>(0.5f);
  } else {
    const std::uint32_t odd = (magnitude >> 13) & 1u;
    half = (magnitude + 0xfffu + odd - ((127u - 15u) << 23)) >> 13;
  }
  return static_cast<std::uint16_t>(sign | half);
}

std::uint16_t bf16_of(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > kInfinity) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  const std::uint32_t odd = (bits >> 16) & 1u;
  return static_cast<std::uint16_t>((bits + 0x7fffu + odd) >> 16);
}

}  // namespace rgu::llm
