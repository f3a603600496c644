#include <immintrin.h>

#include "rgu/mdp/walk_step.hpp"

namespace rgu {
namespace {

__m512i all(std::uint64_t value) { return _mm512_set1_epi64(static_cast<long long>(value)); }

// AliasTable::draw for eight rows: bits * width is the outcome above 64 bits and the fraction
// below.
__m512i drawn(const AliasCells& table, __m512i row, __m512i bits) {
  const __m512i width = all(table.width);
  const __m512i low = _mm512_mul_epu32(bits, width);
  const __m512i high = _mm512_add_epi64(_mm512_mul_epu32(_mm512_srli_epi64(bits, 32), width),
                                        _mm512_srli_epi64(low, 32));
  const __m512i outcome = _mm512_srli_epi64(high, 32);
  const __m512i below =
      _mm512_mask_blend_epi32(0b1010101010101010, low, _mm512_slli_epi64(high, 32));
  const __m512i place = _mm512_add_epi64(_mm512_mul_epu32(row, width), outcome);
  const __m512i cell = _mm512_i64gather_epi64(place, table.cells, 8);
  const __mmask8 own =
      _mm512_cmplt_epu64_mask(_mm512_srli_epi64(below, 24), _mm512_srli_epi64(cell, 24));
  const __m512i alias = _mm512_and_si512(cell, all((std::uint64_t{1} << 24) - 1));
  return _mm512_mask_blend_epi64(own, alias, outcome);
}

}  // namespace

void walk_step_avx512(const WalkTables& tables, int lanes, const std::uint64_t* first,
                      const std::uint64_t* second, std::uint32_t* state, std::uint32_t* pair) {
  const __m512i actions = all(tables.actions);
  for (int j = 0; j < lanes; j += 8) {
    const __m512i from =
        _mm512_cvtepu32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(state + j)));
    const __m512i action = drawn(tables.policy, from, _mm512_loadu_si512(first + j));
    const __m512i at = _mm512_add_epi64(_mm512_mul_epu32(from, actions), action);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(pair + j), _mm512_cvtepi64_epi32(at));
    const __m512i to = drawn(tables.kernel, at, _mm512_loadu_si512(second + j));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(state + j), _mm512_cvtepi64_epi32(to));
  }
}

}  // namespace rgu
