#include <immintrin.h>

#include "rgu/base/philox_rounds.hpp"

namespace rgu::philox {
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
};

}  // namespace

void avx2(const Request& request, std::uint64_t* first, std::uint64_t* second) {
  blocks<Word>(request, first, second);
}

}  // namespace rgu::philox
