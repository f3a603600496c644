#include <immintrin.h>

#include "rgu/llm/decode/kernel_table.hpp"

namespace rgu::llm::decode {
namespace {

struct Lanes512 {
  static constexpr int kWidth = 16;
  static constexpr int kRows = 12;   // x 2 vectors: 24 of the 32 registers hold sums
  static constexpr int kBlocks = 8;  // key blocks at once
  using Floats = float __attribute__((vector_size(64)));
  using Bits = std::uint32_t __attribute__((vector_size(64)));
  static constexpr int vectors(int rows) { return rows <= 2 ? 8 : rows <= 6 ? 4 : 2; }
  static RGU_INLINE Floats all(float value) { return _mm512_set1_ps(value); }
  static RGU_INLINE Floats fused(Floats a, Floats b, Floats c) { return _mm512_fmadd_ps(a, b, c); }
};

}  // namespace

const Kernels* avx512_kernels() { return &kTable<Lanes512>; }

}  // namespace rgu::llm::decode
