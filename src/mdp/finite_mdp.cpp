#include "rgu/mdp/finite_mdp.hpp"

#include <cmath>

#include "rgu/base/check.hpp"

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

void check_rows(const Matrix& kernel, Index actions) {
  for (Index row = 0; row < kernel.rows(); ++row) {
    const auto probabilities = kernel.row(row);
    // One pass decides in the usual case: a sum near 1 of numbers >= 0 holds no NaN.
    const double sum = probabilities.sum();
    if (!(probabilities.minCoeff() >= 0.0) || !std::isfinite(sum)) {
      for (Index next = 0; next < kernel.cols(); ++next) {
        check_probability(probabilities(next), row, actions, next);
      }
    }
    check_row_sum(sum, row, actions);
  }
}

void check_rows(const SparseMatrix& kernel, Index actions) {
  for (Index row = 0; row < kernel.rows(); ++row) {
    double sum = 0;
    for (SparseMatrix::InnerIterator entry(kernel, row); entry; ++entry) {
      check_probability(entry.value(), row, actions, entry.col());
      sum += entry.value();
    }
    check_row_sum(sum, row, actions);
  }
}

Index actions_of(Index rows, Index states) {
  check_count("number of states", states);
  check(rows > 0 && rows % states == 0,
        "kernel has {} rows for {} states, must have S * A rows with A >= 1", rows, states);
  return rows / states;
}

}  // namespace

FiniteMdp::FiniteMdp(TransitionKernel kernel, Vector start, double discount)
    : start_(std::move(start)), discount_(discount) {
  check(discount > 0 && discount < 1, "discount is {}, must lie strictly between 0 and 1",
        discount);
  std::visit(
      [this](auto& p) {
        actions_ = actions_of(p.rows(), p.cols());
        check_size("start distribution", start_.size(), p.cols());
        if constexpr (std::is_same_v<std::decay_t<decltype(p)>, SparseMatrix>) p.makeCompressed();
        check_rows(p, actions_);
      },
      kernel);
  kernel_ = std::make_shared<const TransitionKernel>(std::move(kernel));
  for (Index s = 0; s < start_.size(); ++s) {
    check(std::isfinite(start_(s)) && start_(s) >= 0,
          "start probability s={} is {}, must be finite and >= 0", s, start_(s));
  }
  check(std::abs(start_.sum() - 1.0) <= kRowSumTolerance,
        "start distribution sums to {:.17g}, must be 1 within {:g}", start_.sum(),
        kRowSumTolerance);
}

Index FiniteMdp::transitions() const {
  return is_sparse() ? sparse_kernel().nonZeros() : dense_kernel().size();
}

Matrix FiniteMdp::expected_next(const Vector& value) const {
  check_size("value", value.size(), states());
  Matrix next(states(), actions());
  Eigen::Map<Vector> flat(next.data(), next.size());
  std::visit([&](const auto& p) { flat.noalias() = p * value; }, *kernel_);
  return next;
}

Vector FiniteMdp::push_forward(const Matrix& mass) const {
  check_shape("mass", mass, {states(), actions()});
  const Eigen::Map<const Vector> flat(mass.data(), mass.size());
  return std::visit([&](const auto& p) -> Vector { return p.transpose() * flat; }, *kernel_);
}

}  // namespace rgu
