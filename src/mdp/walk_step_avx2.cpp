#include <immintrin.h>

#include "rgu/mdp/walk_step.hpp"

namespace rgu {
namespace {

__m256i all(std::uint64_t value) { return _mm256_set1_epi64x(static_cast<long long>(value)); }

__m256i load(const std::uint64_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

// Plain loads: on many CPUs the microcode makes a gather slower than these.
__m256i gather(const std::uint64_t* cells, __m256i place) {
  const auto cell = [&](long long index) { return static_cast<long long>(cells[index]); };
  const __m128i low = _mm256_castsi256_si128(place);
  const __m128i high = _mm256_extracti128_si256(place, 1);
  return _mm256_set_epi64x(cell(_mm_extract_epi64(high, 1)), cell(_mm_cvtsi128_si64(high)),
                           cell(_mm_extract_epi64(low, 1)), cell(_mm_cvtsi128_si64(low)));
}

// AliasTable::draw for four rows: bits * width is the outcome above 64 bits and the fraction below.
__m256i drawn(const AliasCells& table, __m256i row, __m256i bits) {
  const __m256i width = all(table.width);
  const __m256i low = _mm256_mul_epu32(bits, width);
  const __m256i high = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(bits, 32), width),
                                        _mm256_srli_epi64(low, 32));
  const __m256i outcome = _mm256_srli_epi64(high, 32);
  const __m256i below = _mm256_blend_epi32(low, _mm256_slli_epi64(high, 32), 0b10101010);
  const __m256i place = _mm256_add_epi64(_mm256_mul_epu32(row, width), outcome);
  const __m256i cell = gather(table.cells, place);
  // Both have 40 bits, so that the signed comparison is right.
  const __m256i own = _mm256_cmpgt_epi64(_mm256_srli_epi64(cell, 24), _mm256_srli_epi64(below, 24));
  const __m256i alias = _mm256_and_si256(cell, all((std::uint64_t{1} << 24) - 1));
  return _mm256_blendv_epi8(alias, outcome, own);
}

__m256i from_32_bits(const std::uint32_t* from) {
  return _mm256_cvtepu32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}

void to_32_bits(__m256i value, std::uint32_t* to) {
  const __m256i even =
      _mm256_permutevar8x32_epi32(value, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(even));
}

}  // namespace

void walk_step_avx2(const WalkTables& tables, int lanes, const std::uint64_t* first,
                    const std::uint64_t* second, std::uint32_t* state, std::uint32_t* pair) {
  const __m256i actions = all(tables.actions);
  for (int j = 0; j < lanes; j += 4) {
    const __m256i from = from_32_bits(state + j);
    const __m256i action = drawn(tables.policy, from, load(first + j));
    const __m256i at = _mm256_add_epi64(_mm256_mul_epu32(from, actions), action);
    to_32_bits(at, pair + j);
    to_32_bits(drawn(tables.kernel, at, load(second + j)), state + j);
  }
}

}  // namespace rgu
