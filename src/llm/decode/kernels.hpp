// The innermost loops of the decode path, on raw arrays, compiled once per instruction set and
// chosen when the program runs. Nothing is checked here; the callers have checked.
//
// In one instruction set every number that comes out is a function of the row it belongs to alone:
// a sum over k is taken in the order of k whatever the number of rows, so that no result depends on
// how rows were put together. Files compiled for one instruction set include this header, so it
// holds plain types only, and no inline functions.
#pragma once

#include <cstddef>

namespace rgu::llm::decode {

using Size = std::ptrdiff_t;

inline constexpr Size kPanel = 32;     // output columns whose weights lie side by side
inline constexpr Size kKeyBlock = 16;  // positions whose keys lie side by side

// y = x W^T + start for `rows` rows and all columns of `panels` panels. Panel p holds the weights
// of columns 32 p .. 32 p + 31 as (depth, 32): those of one k side by side, so a panel streams.
struct Product {
  const float* x = nullptr;  // (rows, depth), rows `x_stride` apart
  Size x_stride = 0;
  Size rows = 0;
  const float* weights = nullptr;  // (panels, depth, 32), aligned to 64 bytes
  Size depth = 0;
  Size panels = 0;
  const float* bias = nullptr;  // (32 panels); none: 0
  float* y = nullptr;           // (rows, 32 panels), rows `y_stride` apart
  Size y_stride = 0;
  bool add = false;  // start = y + bias, not bias alone
};

// One query against the cache of its sequence: result = sum_t softmax_t(<query, key_t>) value_t.
struct Attention {
  const float* query = nullptr;   // (size), scaled
  const float* keys = nullptr;    // (blocks, size, 16): position t in lane t % 16 of block t / 16
  const float* values = nullptr;  // (positions, padded size)
  Size positions = 0;             // t = 0 .. positions - 1
  Size size = 0;
  Size padded_size = 0;     // a multiple of 16; values beyond `size` are 0
  float* scores = nullptr;  // scratch for the positions, a multiple of 16
  float* result = nullptr;  // (padded size)
};

struct SoftmaxPart {
  float max = 0;
  float sum = 0;  // of exp((x - max) * scale)
};

struct Kernels {
  void (*product)(const Product& product);
  void (*attend)(const Attention& attention);

  // y = (x - mean) / sqrt(variance + epsilon), and y = x / sqrt(mean square + epsilon).
  void (*layer_norm)(const float* x, Size size, float epsilon, float* y);
  void (*rms_norm)(const float* x, Size size, float epsilon, float* y);

  // In place; sizes are multiples of 16.
  void (*gelu)(float* x, Size size);       // x Phi(x), with the normal distribution function
  void (*gelu_tanh)(float* x, Size size);  // its approximation by tanh
  void (*silu)(float* x, Size size);       // x / (1 + exp(-x))
  void (*multiply)(float* x, const float* y, Size size);  // x y, element by element

  // Of `size` numbers, a multiple of 16; -infinity counts nothing.
  SoftmaxPart (*softmax_part)(const float* x, Size size, float scale);
  // y = exp((x - max) * scale), to about 1e-7 relative; size a multiple of 16.
  void (*exponentials)(const float* x, Size size, float max, float scale, float* y);
};

const Kernels* portable_kernels();
const Kernels* avx2_kernels();    // nullptr where it was not compiled in
const Kernels* avx512_kernels();  // likewise

}  // namespace rgu::llm::decode
