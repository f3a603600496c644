#include <immintrin.h>

#include "rgu/base/philox_rounds.hpp"

namespace rgu::philox {
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
};

}  // namespace

void avx512(const Request& request, std::uint64_t* first, std::uint64_t* second) {
  blocks<Word>(request, first, second);
}

}  // namespace rgu::philox
