#include "rgu/llm/files/half_float.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rgu::llm {
namespace {

constexpr float kNone = std::numeric_limits<float>::infinity();

// The value by its definition, in doubles: (-1)^s 2^(e - bias) (1 + f / 2^bits), subnormal without
// the 1.
struct Format {
  int exponent_bits;
  int fraction_bits;
};
constexpr Format kF16{5, 10};
constexpr Format kBF16{8, 7};

double defined_value(std::uint16_t bits, Format format) {
  const int fraction = bits & ((1 << format.fraction_bits) - 1);
  const int exponent = (bits >> format.fraction_bits) & ((1 << format.exponent_bits) - 1);
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const double part = std::ldexp(fraction, -format.fraction_bits);
  if (exponent == (1 << format.exponent_bits) - 1) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
  }
  return sign *
         (exponent == 0 ? std::ldexp(part, 1 - bias) : std::ldexp(1 + part, exponent - bias));
}

template <class Widen, class Narrow>
void expect_every_pattern(Format format, Widen widen, Narrow narrow) {
  for (std::uint32_t pattern = 0; pattern < 65536; ++pattern) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    const double defined = defined_value(bits, format);
    const float value = widen(bits);
    ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0) << pattern;
    if (std::isnan(defined)) {
      ASSERT_TRUE(std::isnan(value)) << pattern;
      ASSERT_TRUE(std::isnan(widen(narrow(value)))) << pattern;
      ASSERT_EQ(narrow(value) & 0x8000, bits & 0x8000) << pattern;
    } else {
      ASSERT_EQ(static_cast<double>(value), defined) << pattern;
      ASSERT_EQ(narrow(value), bits) << pattern;  // also the two zeros
    }
  }
}

// Between neighbours a < b: what is below the middle goes to a, above to b, the middle to the even
// one.
template <class Widen, class Narrow>
void expect_nearest_even(std::uint16_t infinity, Widen widen, Narrow narrow, float end) {
  for (std::uint16_t low = 0; low < infinity; ++low) {
    const auto high = static_cast<std::uint16_t>(low + 1);
    const double upper =
        high == infinity ? static_cast<double>(end) : static_cast<double>(widen(high));
    const auto middle = static_cast<float>((static_cast<double>(widen(low)) + upper) / 2);
    ASSERT_EQ(static_cast<double>(middle), (static_cast<double>(widen(low)) + upper) / 2) << low;
    const std::uint16_t even = low % 2 == 0 ? low : high;
    ASSERT_EQ(narrow(middle), even) << low;
    ASSERT_EQ(narrow(std::nextafter(middle, 0.0f)), low) << low;
    ASSERT_EQ(narrow(std::nextafter(middle, kNone)), high) << low;
    ASSERT_EQ(narrow(-middle), even | 0x8000) << low;
  }
}

TEST(HalfFloat, AllF16PatternsHaveTheirDefinedValuesAndComeBack) {
  expect_every_pattern(kF16, float_of_f16, f16_of);
}

TEST(HalfFloat, AllBf16PatternsHaveTheirDefinedValuesAndComeBack) {
  expect_every_pattern(kBF16, float_of_bf16, bf16_of);
}

TEST(HalfFloat, F16RoundsToNearestEvenBetweenAllNeighbours) {
  expect_nearest_even(0x7c00, float_of_f16, f16_of, 65536.0f);
}

TEST(HalfFloat, Bf16RoundsToNearestEvenBetweenAllNeighbours) {
  // The value after the largest, 2^128, is none of F32; its middle with it is.
  for (std::uint16_t low = 0; low < 0x7f7f; ++low) {
    const auto high = static_cast<std::uint16_t>(low + 1);
    const auto middle = static_cast<float>(
        (static_cast<double>(float_of_bf16(low)) + static_cast<double>(float_of_bf16(high))) / 2);
    ASSERT_EQ(bf16_of(middle), low % 2 == 0 ? low : high) << low;
    ASSERT_EQ(bf16_of(std::nextafter(middle, 0.0f)), low) << low;
    ASSERT_EQ(bf16_of(std::nextafter(middle, kNone)), high) << low;
  }
  EXPECT_EQ(bf16_of(0x1.fep127f), 0x7f7f);
  EXPECT_EQ(bf16_of(0x1.fefffep127f), 0x7f7f);
  EXPECT_EQ(bf16_of(0x1.ffp127f), 0x7f80);  // the middle: to the even one, infinity
  EXPECT_EQ(bf16_of(std::numeric_limits<float>::max()), 0x7f80);
}

TEST(HalfFloat, WhatIsTooLargeOrTooSmallForF16BecomesInfinityOrZero) {
  EXPECT_EQ(f16_of(65504.0f), 0x7bff);
  EXPECT_EQ(f16_of(1e30f), 0x7c00);
  EXPECT_EQ(f16_of(-kNone), 0xfc00);
  EXPECT_EQ(f16_of(1e-30f), 0);
  EXPECT_EQ(f16_of(-0x1p-149f), 0x8000);
  EXPECT_EQ(f16_of(std::numeric_limits<float>::quiet_NaN()) & 0x7c00, 0x7c00);
}

}  // namespace
}  // namespace rgu::llm
