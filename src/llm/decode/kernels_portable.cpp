#include "rgu/llm/decode/kernel_table.hpp"

namespace rgu::llm::decode {
namespace {

// Compiled without contraction: a product is always rounded before it is added.
struct LanesAny {
  static constexpr int kWidth = 4;
  static constexpr int kRows = 4;
  static constexpr int kBlocks = 2;  // key blocks at once
  using Floats = float __attribute__((vector_size(16)));
  using Bits = std::uint32_t __attribute__((vector_size(16)));
  static constexpr int vectors(int rows) { return rows == 1 ? 8 : rows <= 2 ? 4 : 2; }
  static RGU_INLINE Floats all(float value) { return Floats{value, value, value, value}; }
  static RGU_INLINE Floats fused(Floats a, Floats b, Floats c) { return a * b + c; }
};

}  // namespace

const Kernels* portable_kernels() { return &kTable<LanesAny>; }

}  // namespace rgu::llm::decode
