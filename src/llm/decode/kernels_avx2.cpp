#include <immintrin.h>

#include "rgu/llm/decode/kernel_table.hpp"

namespace rgu::llm::decode {
namespace {

struct Lanes256 {
  static constexpr int kWidth = 8;
  static constexpr int kRows = 6;    // x 2 vectors: 12 of the 16 registers hold sums
  static constexpr int kBlocks = 4;  // key blocks at once
  using Floats = float __attribute__((vector_size(32)));
  using Bits = std::uint32_t __attribute__((vector_size(32)));
  static constexpr int vectors(int rows) { return rows == 1 ? 8 : rows <= 3 ? 4 : 2; }
  static RGU_INLINE Floats all(float value) { return _mm256_set1_ps(value); }
  static RGU_INLINE Floats fused(Floats a, Floats b, Floats c) { return _mm256_fmadd_ps(a, b, c); }
};

}  // namespace

const Kernels* avx2_kernels() { return &kTable<Lanes256>; }

}  // namespace rgu::llm::decode
