// The linear systems of a fixed policy at discounts near 1, without cancellation.
#pragma once

#include "rgu/base/types.hpp"

namespace rgu {

// Solves with A = I - g P, P (S, S) nonnegative with rows that sum to 1, by elimination state by
// state [GrassmannTaksarHeyman1985]. A is kept as its off-diagonal entries and its row sums 1 - g;
// a pivot is the sum of what is left of its row, never a difference. So every entry of A^-1 is
// accurate to a few units in its last place at every g < 1, where LU factorisation loses 1 / (1-g)
// of them: the solution of a system with a nonnegative right-hand side is accurate entry by entry.
// O(S^3) once, O(S^2) for a solve.
class SubtractionFreeLu {
 public:
  // chain: P. Rows that sum to 1 only roughly are divided by their sums.
  SubtractionFreeLu(Matrix chain, double discount);

  Vector solve(Vector right) const;             // A^-1 b
  Vector solve_transposed(Vector right) const;  // A^-T b

 private:
  // After state k has been eliminated: entry (k, j), j < k, is what row k had left; entry (i, k),
  // i < k, is what row i had left there, divided by pivot k.
  Matrix factor_;
  Vector pivots_;
};

}  // namespace rgu
