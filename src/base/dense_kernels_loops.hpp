// The loops behind dense_kernels.hpp, over vectors as GCC and Clang extend C++ with them, as wide
// as the instruction set of the including file allows. Included only by the files that compile it
// for one instruction set each. Everything is local to the including file and no other header with
// inline functions is included, so nothing compiled with their flags can be linked into code that
// runs on another CPU.
#pragma once

#include "rgu/base/dense_kernels.hpp"

// NOLINTBEGIN(misc-definitions-in-headers): every file that includes this has its own
namespace rgu {
namespace {

using Size = std::ptrdiff_t;
#if defined(__AVX2__)
constexpr Size kWidth = 4;
#else
constexpr Size kWidth = 2;
#endif
static_assert(kDenseWidth % kWidth == 0);

using Word = double __attribute__((vector_size(kWidth * sizeof(double))));
using Bits = unsigned long long __attribute__((vector_size(kWidth * sizeof(double))));
using Lanes = long long __attribute__((vector_size(kWidth * sizeof(double))));

inline Word load(const double* from) {
  Word word;
  __builtin_memcpy(&word, from, sizeof(Word));
  return word;
}
inline void store(double* to, Word word) { __builtin_memcpy(to, &word, sizeof(Word)); }
inline Word all(double value) { return Word{} + value; }
inline double sum(Word word) {
  double total = word[0] + word[1];
  for (Size i = 2; i < kWidth; ++i) total += word[i];
  return total;
}
// 0, 1, .. : the numbers of the lanes.
inline Lanes lanes() {
  Lanes lane = {};
  for (Size i = 0; i < kWidth; ++i) lane[i] = i;
  return lane;
}
// The word around index k: its lanes after k, or before k, and 0 in the others.
inline Word lanes_after(Size k, Word word) {
  return reinterpret_cast<Word>(reinterpret_cast<Lanes>(word) & (lanes() > k % kWidth));
}
inline Word lanes_before(Size k, Word word) {
  return reinterpret_cast<Word>(reinterpret_cast<Lanes>(word) & (lanes() < k % kWidth));
}

// --- softmax ---

// exp(x) for x <= 0 or NaN. x = n log 2 + r with |r| <= (log 2) / 2, exp(r) by its Taylor series to
// degree 13 (truncation below 1e-17), then times 2^n in two halves, so that only the last product
// can be subnormal and rounds once.
inline Word exp_word(Word x) {
  const Word least = all(-746);        // exp rounds to 0 below -745.14
  x = x < least ? least : x;           // a NaN stays
  constexpr double kShift = 0x1.8p52;  // adding it rounds to an integer, kept in the low bits
  const Word n = (x * 0x1.71547652b82fep0 + kShift) - kShift;
  const Word r = (x - n * 0x1.62e42feep-1) - n * 0x1.a39ef35793c76p-33;  // log 2 in two parts
  constexpr double kInverseFactorial[] = {
      1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
      1.0 / 5040,       1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      1.0 / 2};
  Word tail = all(kInverseFactorial[0]);
  for (int i = 1; i < 12; ++i) tail = tail * r + kInverseFactorial[i];
  const Word exp_r = 1.0 + (r + (r * r) * tail);
  const Word half = n * 0.5 + kShift;
  const Word rest = (n - (half - kShift)) + kShift;
  constexpr unsigned long long kOne = 1023ULL << 52;  // the bits of 1.0
  const Bits power = (reinterpret_cast<Bits>(half) << 52) + kOne;
  const Bits other = (reinterpret_cast<Bits>(rest) << 52) + kOne;
  return (exp_r * reinterpret_cast<Word>(power)) * reinterpret_cast<Word>(other);
}

// What does not fill a word at the end is done with one that overlaps the word before, read before
// that is overwritten.
void exponential(double* x, Size size) {
  if (size < kWidth) {
    Word word = {};
    for (Size i = 0; i < size; ++i) word[i] = x[i];
    word = exp_word(word);
    for (Size i = 0; i < size; ++i) x[i] = word[i];
    return;
  }
  const Word last = exp_word(load(x + size - kWidth));
  for (Size i = 0; i + kWidth < size; i += kWidth) store(x + i, exp_word(load(x + i)));
  store(x + size - kWidth, last);
}

// Rows are short: by numbers where it goes along a row, by words where rows do not matter. Shifting
// a row by its maximum leaves the softmax as it is and keeps exp from overflowing.
void softmax(double* logits, Size rows, Size columns) {
  double* const end = logits + rows * columns;
  for (double* row = logits; row < end; row += columns) {
    double shift = row[0];
    for (Size a = 1; a < columns; ++a) shift = row[a] > shift ? row[a] : shift;
    for (Size a = 0; a < columns; ++a) row[a] -= shift;
  }
  exponential(logits, rows * columns);
  for (double* row = logits; row < end; row += columns) {
    double total = 0;
    for (Size a = 0; a < columns; ++a) total += row[a];
    const double scale = 1 / total;
    for (Size a = 0; a < columns; ++a) row[a] *= scale;
  }
}

// --- products with the kernel ---

// sum_a weight[a] * rows[a * n + i ..], a word of it.
inline Word mixed(const double* rows, const double* weight, Size n, Size actions) {
  Word total = weight[0] * load(rows);
  for (Size a = 1; a < actions; ++a) total += weight[a] * load(rows + a * n);
  return total;
}

// A row that does not end with a word ends with one that overlaps the word before.
void discounted_system(const PolicyMixture& mixture, double* system, Size stride) {
  const Size n = mixture.states;
  const Size actions = mixture.actions;
  const double* rows = mixture.kernel;
  const double* weight = mixture.policy;
  const double scale = -mixture.discount;
  for (Size s = 0; s < n; ++s, rows += actions * n, weight += actions) {
    double* column = system + s * stride;
    for (Size i = n; i < stride; ++i) column[i] = 0;
    if (n < kWidth) {
      for (Size i = 0; i < n; ++i) {
        double total = 0;
        for (Size a = 0; a < actions; ++a) total += weight[a] * rows[a * n + i];
        column[i] = scale * total;
      }
    } else {
      for (Size i = 0; i + kWidth < n; i += kWidth) {
        store(column + i, scale * mixed(rows + i, weight, n, actions));
      }
      store(column + n - kWidth, scale * mixed(rows + n - kWidth, weight, n, actions));
    }
    column[s] += 1;
  }
}

// result[k] = offset[k] + scale * <row k, x> for kRows rows at once: sums that do not wait for each
// other, and one read of x. A row that does not end with a word ends with one that overlaps the
// word before, where x is taken as 0.
template <Size kRows>
inline void affine_rows(const double* row, Size n, const double* x, const double* offset,
                        double scale, double* result) {
  Word total[kRows] = {};
  Size i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    const Word right = load(x + i);
    for (Size k = 0; k < kRows; ++k) total[k] += load(row + k * n + i) * right;
  }
  if (i < n) {
    const Word right = lanes_after(i - 1 - (n - kWidth), load(x + n - kWidth));
    for (Size k = 0; k < kRows; ++k) total[k] += load(row + k * n + n - kWidth) * right;
  }
  for (Size k = 0; k < kRows; ++k) result[k] = offset[k] + scale * sum(total[k]);
}

void affine(const RowMajor& matrix, const double* x, const double* offset, double scale,
            double* result) {
  const Size n = matrix.columns;
  const double* row = matrix.data;
  Size r = 0;
  if (n < kWidth) {
    for (; r < matrix.rows; ++r, row += n) {
      double total = 0;
      for (Size i = 0; i < n; ++i) total += row[i] * x[i];
      result[r] = offset[r] + scale * total;
    }
  }
  for (; r + 4 <= matrix.rows; r += 4, row += 4 * n) {
    affine_rows<4>(row, n, x, offset + r, scale, result + r);
  }
  for (; r < matrix.rows; ++r, row += n) affine_rows<1>(row, n, x, offset + r, scale, result + r);
}

// --- LU ---

// Right-looking: column k is final when its turn comes, and is taken off the columns after it by
// whole words; in the first word the lanes up to k are cleared, so that rows up to k stay.
int factorise(const SwaplessLu& lu) {
  const Size n = lu.order;
  const Size stride = lu.stride;
  for (Size k = 0; k < n; ++k) {
    double* column = lu.factor + k * stride;
    const double pivot = column[k];
    if (!(pivot < 0 || pivot > 0)) return static_cast<int>(k + 1);
    const double reciprocal = 1 / pivot;
    lu.reciprocal[k] = reciprocal;
    const Size first = k - k % kWidth;
    const Word head = lanes_after(k, load(column + first));
    for (Size j = k + 1; j < n; ++j) {
      double* other = lu.factor + j * stride;
      const double factor = other[k] * reciprocal;
      store(other + first, load(other + first) - factor * head);
      for (Size i = first + kWidth; i < n; i += kWidth) {
        store(other + i, load(other + i) - factor * load(column + i));
      }
      other[k] = factor;
      lu.transpose[k * stride + j] = factor;
    }
    for (Size i = k + 1; i < n; ++i) {
      column[i] *= reciprocal;
      lu.transpose[i * stride + k] = column[i];
    }
  }
  return 0;
}

// The triangle below, above the diagonal of `columns`, with a unit diagonal: its columns are taken
// off x one by one.
inline void solve_lower(const SwaplessLu& lu, const double* columns, double* x) {
  for (Size k = 0; k < lu.order; ++k, columns += lu.stride) {
    const double factor = x[k];
    const Size first = k - k % kWidth;
    store(x + first, load(x + first) - factor * lanes_after(k, load(columns + first)));
    for (Size i = first + kWidth; i < lu.order; i += kWidth) {
      store(x + i, load(x + i) - factor * load(columns + i));
    }
  }
}
inline void solve_upper(const SwaplessLu& lu, const double* columns, double* x) {
  columns += lu.order * lu.stride;
  for (Size k = lu.order - 1; k >= 0; --k) {
    columns -= lu.stride;
    const double factor = x[k];
    const Size first = k - k % kWidth;
    store(x + first, load(x + first) - factor * lanes_before(k, load(columns + first)));
    for (Size i = 0; i < first; i += kWidth) {
      store(x + i, load(x + i) - factor * load(columns + i));
    }
  }
}

inline void solve_with(const SwaplessLu& lu, const double* columns, double* x) {
  solve_lower(lu, columns, x);
  for (Size i = 0; i < lu.order; ++i) x[i] *= lu.reciprocal[i];
  solve_upper(lu, columns, x);
}

void solve(const SwaplessLu& lu, double* x) { solve_with(lu, lu.factor, x); }
void solve_transposed(const SwaplessLu& lu, double* x) { solve_with(lu, lu.transpose, x); }

constexpr DenseKernels kLoops = {.exponential = exponential,
                                 .softmax = softmax,
                                 .discounted_system = discounted_system,
                                 .affine = affine,
                                 .factorise = factorise,
                                 .solve = solve,
                                 .solve_transposed = solve_transposed};

}  // namespace
}  // namespace rgu
// NOLINTEND(misc-definitions-in-headers)
