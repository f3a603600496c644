// A finite Markov decision process without a reward: states, actions, kernel, start, discount.
#pragma once

#include <memory>
#include <variant>

#include "rgu/base/types.hpp"

namespace rgu {

// P(s'|s,a) as one matrix with a row for each state-action pair, row s * A + a: (S * A, S).
// Dense or sparse; a sparse kernel is never made dense.
using TransitionKernel = std::variant<Matrix, SparseMatrix>;

// Validated when made and immutable after, so any object of this type is a proper model:
//   every probability is finite and >= 0; every row sums to 1 within kRowSumTolerance;
//   the start distribution likewise; 0 < discount < 1.
// Nothing is renormalised: the kernel is used exactly as given. Throws InvalidInput, naming the
// row, its sum and the rule. Copies share the kernel.
class FiniteMdp final {
 public:
  static constexpr double kRowSumTolerance = 1e-9;

  // kernel: (S * A, S); start: (S); the number of actions follows from the shape.
  FiniteMdp(TransitionKernel kernel, Vector start, double discount);

  Index states() const { return start_.size(); }
  Index actions() const { return actions_; }
  double discount() const { return discount_; }
  const Vector& start() const { return start_; }

  bool is_sparse() const { return std::holds_alternative<SparseMatrix>(*kernel_); }
  const TransitionKernel& kernel() const { return *kernel_; }
  const Matrix& dense_kernel() const { return std::get<Matrix>(*kernel_); }
  const SparseMatrix& sparse_kernel() const { return std::get<SparseMatrix>(*kernel_); }
  Index transitions() const;  // stored entries of the kernel

  // (S, A): sum_{s'} P(s'|s,a) value(s').
  Matrix expected_next(const Vector& value) const;
  // (S): sum_{s,a} P(s'|s,a) mass(s,a).
  Vector push_forward(const Matrix& mass) const;

 private:
  std::shared_ptr<const TransitionKernel> kernel_;
  Vector start_;
  double discount_;
  Index actions_;
};

}  // namespace rgu
