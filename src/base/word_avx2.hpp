// Four 64-bit lanes in AVX2. Included only by sources that are compiled for these instructions:
// it includes nothing else of the library, and its names have no linkage.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace rgu {
namespace {

struct Word {
  static constexpr int kWidth = 4;
  __m256i bits;

  static Word all(std::uint64_t value) {
    return {_mm256_set1_epi64x(static_cast<long long>(value))};
  }
  static Word count_from(std::uint32_t first) {
    return {_mm256_add_epi64(_mm256_set1_epi64x(first), _mm256_setr_epi64x(0, 1, 2, 3))};
  }
  static Word product(Word a, Word b) { return {_mm256_mul_epu32(a.bits, b.bits)}; }
  static Word exclusive_or(Word a, Word b, Word c) {
    return {_mm256_xor_si256(a.bits, _mm256_xor_si256(b.bits, c.bits))};
  }
  static Word join(Word low, Word high) {
    return {_mm256_blend_epi32(low.bits, _mm256_slli_epi64(high.bits, 32), 0b10101010)};
  }
  Word high() const { return {_mm256_srli_epi64(bits, 32)}; }
  void store(std::uint64_t* to) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bits); }

  static Word sum(Word a, Word b) { return {_mm256_add_epi64(a.bits, b.bits)}; }
  // Lanes of `yes` where a < b, both below 2^63; of `no` elsewhere.
  static Word choose_if_less(Word a, Word b, Word yes, Word no) {
    return {_mm256_blendv_epi8(no.bits, yes.bits, _mm256_cmpgt_epi64(b.bits, a.bits))};
  }
  // Plain loads: the microcode of many CPUs makes a gather slower than these.
  static Word gather(const std::uint64_t* from, Word place) {
    const auto at = [&](long long index) { return static_cast<long long>(from[index]); };
    const __m128i low = _mm256_castsi256_si128(place.bits);
    const __m128i high = _mm256_extracti128_si256(place.bits, 1);
    return {_mm256_set_epi64x(at(_mm_extract_epi64(high, 1)), at(_mm_cvtsi128_si64(high)),
                              at(_mm_extract_epi64(low, 1)), at(_mm_cvtsi128_si64(low)))};
  }
  Word masked(std::uint64_t mask) const { return {_mm256_and_si256(bits, all(mask).bits)}; }
  template <int kBits>
  Word shifted() const {
    return {_mm256_srli_epi64(bits, kBits)};
  }
  static Word load_low(const std::uint32_t* from) {
    return {_mm256_cvtepu32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)))};
  }
  void store_low(std::uint32_t* to) const {
    const __m256i even =
        _mm256_permutevar8x32_epi32(bits, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(even));
  }
};

}  // namespace
}  // namespace rgu
