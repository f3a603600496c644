#include "rgu/mdp/kernel_rows.hpp"

#include <cmath>

#include "rgu/base/check.hpp"
#include "rgu/mdp/finite_mdp.hpp"

namespace rgu {
namespace {

void check_probability(double probability, Index row, Index actions, Index next) {
  check(std::isfinite(probability) && probability >= 0,
        "transition probability s={} a={} s'={} is {}, must be finite and >= 0", row / actions,
        row % actions, next, probability);
}

void check_row_sum(double sum, Index row, Index actions) {
  check(std::abs(sum - 1.0) <= FiniteMdp::kRowSumTolerance,
        "transition row s={} a={} sums to {:.17g}, must be 1 within {:g}", row / actions,
        row % actions, sum, FiniteMdp::kRowSumTolerance);
}

}  // namespace

void check_kernel_rows(const Matrix& rows, const RowNumbers& numbers) {
  for (Index i = 0; i < rows.rows(); ++i) {
    const Index row = numbers.first_row + i;
    const auto probabilities = rows.row(i);
    // One pass decides in the usual case: a sum near 1 of numbers >= 0 holds no NaN.
    const double sum = probabilities.sum();
    if (!(probabilities.minCoeff() >= 0.0) || !std::isfinite(sum)) {
      for (Index next = 0; next < rows.cols(); ++next) {
        check_probability(probabilities(next), row, numbers.actions, next);
      }
    }
    check_row_sum(sum, row, numbers.actions);
  }
}

void check_kernel_rows(const SparseMatrix& rows, const RowNumbers& numbers) {
  for (Index i = 0; i < rows.rows(); ++i) {
    const Index row = numbers.first_row + i;
    double sum = 0;
    for (SparseMatrix::InnerIterator entry(rows, i); entry; ++entry) {
      check_probability(entry.value(), row, numbers.actions, entry.col());
      sum += entry.value();
    }
    check_row_sum(sum, row, numbers.actions);
  }
}

void check_discount(double discount) {
  check(discount > 0 && discount < 1, "discount is {}, must lie strictly between 0 and 1",
        discount);
}

}  // namespace rgu
