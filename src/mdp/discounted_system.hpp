// The linear systems of a fixed policy on a sparse model, solved to a residual that is checked.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "rgu/base/types.hpp"

namespace rgu {

// The matrix I - g P_pi, P_pi(s'|s) = sum_a pi(a|s) P(s'|s,a), (S, S), in memory linear in the
// transitions.
class DiscountedSystem {
 public:
  // kernel: (S * A, S); pi: (S, A).
  DiscountedSystem(const SparseMatrix& kernel, const Matrix& pi, double discount);

  Index states() const { return states_; }
  void multiply(const Vector& x, Vector& y) const;             // y = (I - g P_pi) x
  void multiply_transposed(const Vector& x, Vector& y) const;  // y = (I - g P_pi)' x

  // d with |source - (I - g P_pi)' d|_1 <= tolerance.
  Vector solve_flow(const Vector& source, double tolerance) const;
  // v with |cost - (I - g P_pi) v|_inf <= tolerance.
  Vector solve_value(const Vector& cost, double tolerance) const;

 private:
  // The entries of g P_pi, merged, ordered by blocks of 2^16 columns and by rows within a block:
  // the part of a vector that a block reads or writes at random then fits in the cache, while the
  // rest streams, and a column takes 2 bytes.
  struct Block {
    Index first_column = 0;
    std::size_t begin = 0;  // of its entries
    std::size_t end = 0;
  };

  Index states_;
  std::vector<Block> blocks_;
  std::unique_ptr<std::int32_t[]> rows_;
  std::unique_ptr<std::uint16_t[]> columns_;  // within the block
  std::unique_ptr<double[]> values_;
};

}  // namespace rgu
