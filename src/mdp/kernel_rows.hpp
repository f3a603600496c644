// Are rows of a transition kernel distributions?
#pragma once

#include "rgu/base/types.hpp"

namespace rgu {

// How rows are named in messages: row i of the matrix is row first_row + i of the kernel, and row
// s * A + a of the kernel is that of state s and action a.
struct RowNumbers {
  Index actions = 1;
  Index first_row = 0;
};

// Throws InvalidInput, naming the row, its sum and the rule, unless every probability is finite and
// >= 0 and every row sums to 1 within FiniteMdp::kRowSumTolerance.
void check_kernel_rows(const Matrix& rows, const RowNumbers& numbers);
void check_kernel_rows(const SparseMatrix& rows, const RowNumbers& numbers);

// Throws InvalidInput unless 0 < discount < 1.
void check_discount(double discount);

}  // namespace rgu
