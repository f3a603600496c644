#include "rgu/mdp/finite_mdp.hpp"

#include <cmath>

#include "rgu/base/check.hpp"
#include "rgu/mdp/kernel_rows.hpp"

namespace rgu {
namespace {

Index actions_of(Index rows, Index states) {
  check_count("number of states", states);
  check(rows > 0 && rows % states == 0,
        "kernel has {} rows for {} states, must have S * A rows with A >= 1", rows, states);
  return rows / states;
}

}  // namespace

FiniteMdp::FiniteMdp(TransitionKernel kernel, Vector start, double discount)
    : start_(std::move(start)), discount_(discount) {
  check_discount(discount);
  std::visit(
      [this](auto& p) {
        actions_ = actions_of(p.rows(), p.cols());
        check_size("start distribution", start_.size(), p.cols());
        if constexpr (std::is_same_v<std::decay_t<decltype(p)>, SparseMatrix>) p.makeCompressed();
        check_kernel_rows(p, {.actions = actions_});
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
