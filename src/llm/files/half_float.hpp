// 16-bit floats: F16 (1 sign, 5 exponent, 10 fraction bits, IEEE 754) and BF16 (1, 8, 7: the upper
// half of an F32). Narrowing rounds to nearest, ties to even; a NaN stays a NaN of the same sign.
#pragma once

#include <cstdint>

namespace rgu::llm {

float float_of_f16(std::uint16_t bits);
float float_of_bf16(std::uint16_t bits);
std::uint16_t f16_of(float value);  // from 65520 on: infinity
std::uint16_t bf16_of(float value);

}  // namespace rgu::llm
