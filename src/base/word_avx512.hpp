// Eight 64-bit lanes in AVX-512. Included only by sources that are compiled for these instructions:
// it includes nothing else of the library, and its names have no linkage.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace rgu {
namespace {

struct Word {
  static constexpr int kWidth = 8;
  __m512i bits;

  static Word all(std::uint64_t value) {
    return {_mm512_set1_epi64(static_cast<long long>(value))};
  }
  static Word count_from(std::uint32_t first) {
    return {_mm512_add_epi64(_mm512_set1_epi64(first), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7))};
  }
  static Word product(Word a, Word b) { return {_mm512_mul_epu32(a.bits, b.bits)}; }
  static Word exclusive_or(Word a, Word b, Word c) {
    return {_mm512_ternarylogic_epi64(a.bits, b.bits, c.bits, 0x96)};
  }
  static Word join(Word low, Word high) {
    return {
        _mm512_mask_blend_epi32(0b1010101010101010, low.bits, _mm512_slli_epi64(high.bits, 32))};
  }
  Word high() const { return {_mm512_srli_epi64(bits, 32)}; }
  void store(std::uint64_t* to) const { _mm512_storeu_si512(to, bits); }

  static Word sum(Word a, Word b) { return {_mm512_add_epi64(a.bits, b.bits)}; }
  // Lanes of `yes` where a < b, both below 2^63; of `no` elsewhere.
  static Word choose_if_less(Word a, Word b, Word yes, Word no) {
    return {_mm512_mask_blend_epi64(_mm512_cmplt_epu64_mask(a.bits, b.bits), no.bits, yes.bits)};
  }
  static Word gather(const std::uint64_t* from, Word place) {
    return {_mm512_i64gather_epi64(place.bits, from, 8)};
  }
  Word masked(std::uint64_t mask) const { return {_mm512_and_si512(bits, all(mask).bits)}; }
  template <int kBits>
  Word shifted() const {
    return {_mm512_srli_epi64(bits, kBits)};
  }
  static Word load_low(const std::uint32_t* from) {
    return {_mm512_cvtepu32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)))};
  }
  void store_low(std::uint32_t* to) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi64_epi32(bits));
  }
};

}  // namespace
}  // namespace rgu
