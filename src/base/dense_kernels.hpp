// The innermost loops of small dense models, on raw arrays, compiled once for any CPU and once for
// AVX2 with fused multiply-add. Which one runs is decided when the program runs. The two agree up
// to rounding: a fused product rounds once where the other rounds twice, so last bits may differ
// from one CPU to another. Nothing is checked here; the callers have checked.
#pragma once

#include <cstddef>

namespace rgu {

// P(s'|s,a) as (S * A, S) and pi(a|s) as (S, A), both row-major.
struct PolicyMixture {
  const double* kernel = nullptr;
  const double* policy = nullptr;
  std::ptrdiff_t states = 0;
  std::ptrdiff_t actions = 0;
  double discount = 0;
};

// Rows of `matrix`, (rows, columns), row-major.
struct RowMajor {
  const double* data = nullptr;
  std::ptrdiff_t rows = 0;
  std::ptrdiff_t columns = 0;
};

// M = L D U of order n without row swaps, L and U with unit diagonals. Columns lie `stride` apart,
// a multiple of kDenseWidth; rows n .. stride - 1 are zero.
struct SwaplessLu {
  double* factor = nullptr;      // (stride, n): M, then L below the diagonal and U above
  double* transpose = nullptr;   // (stride, n): zeros, then the same transposed
  double* reciprocal = nullptr;  // (n): the diagonal of D^-1
  std::ptrdiff_t order = 0;
  std::ptrdiff_t stride = 0;
};

inline constexpr std::ptrdiff_t kDenseWidth = 4;

struct DenseKernels {
  // exp of every x, each <= 0 or NaN, to within 1 ulp, subnormal results included.
  void (*exponential)(double* x, std::ptrdiff_t size);

  // Every row becomes its softmax: exp(x - max) / sum. A NaN in a row makes the whole row NaN.
  void (*softmax)(double* logits, std::ptrdiff_t rows, std::ptrdiff_t columns);

  // Column s of `system` = row s of I - g P_pi; the columns lie `stride` >= S apart and are filled
  // up with zeros. One read of the kernel.
  void (*discounted_system)(const PolicyMixture& mixture, double* system, std::ptrdiff_t stride);

  // result = offset + scale * matrix * x.
  void (*affine)(const RowMajor& matrix, const double* x, const double* offset, double scale,
                 double* result);

  // Returns 0, or the number (from 1) of the first pivot that is zero or NaN.
  int (*factorise)(const SwaplessLu& lu);
  // x: (stride), the right-hand side filled up with zeros; replaced by M^-1 x.
  void (*solve)(const SwaplessLu& lu, double* x);
  // The same with the transpose.
  void (*solve_transposed)(const SwaplessLu& lu, double* x);
};

// Those for instruction_set().
const DenseKernels& dense_kernels();

// By name, for tests: the loops every CPU runs, and those for AVX2, which only a CPU with AVX2 and
// FMA may run (nullptr elsewhere).
const DenseKernels& portable_dense_kernels();
const DenseKernels* avx2_dense_kernels();

}  // namespace rgu
