// Functions of (state, action) kept as the columns of one matrix.
#pragma once

#include <string_view>
#include <vector>

#include "rgu/utility/utility.hpp"

namespace rgu {

// The largest Euclidean norm of a row, and the largest singular value.
double largest_row_norm(const Matrix& matrix);
double spectral_norm(const Matrix& matrix);

// k functions of (s, a): function i is column i, row s * A + a.
struct Features {
  OccupancyShape shape;
  Matrix table;  // (S * A, k)

  Index count() const { return table.cols(); }

  // (S, A): sum_i weights(i) function_i.
  Matrix combined(const Vector& weights) const;
  // (k): <function_i, mass>.
  Vector moments(const Matrix& mass) const;
};

// Stacks functions given as (S, A) matrices. Throws InvalidInput unless there is at least one, all
// have the shape of the first, and every entry is finite; `name` says what one of them is.
Features stacked(std::string_view name, const std::vector<Matrix>& functions);

}  // namespace rgu
