#include "rgu/mdp/discounted_system.hpp"

#include <algorithm>
#include <limits>

#include "rgu/base/check.hpp"
#include "rgu/base/krylov.hpp"

namespace rgu {
namespace {

// One half megabyte of a vector: safe within the second-level cache of any server CPU.
constexpr int kBlockBits = 16;

// The distinct successors of one state and their probabilities under the policy.
class MergedRow {
 public:
  explicit MergedRow(Index states) : place_(static_cast<std::size_t>(states), -1) {}

  void clear() {
    for (const std::int32_t column : columns_) place_[column] = -1;
    columns_.clear();
    values_.clear();
  }

  void add(std::int32_t column, double value) {
    if (place_[column] < 0) {
      place_[column] = static_cast<std::int32_t>(columns_.size());
      columns_.push_back(column);
      values_.push_back(value);
    } else {
      values_[place_[column]] += value;
    }
  }

  const std::vector<std::int32_t>& columns() const { return columns_; }
  const std::vector<double>& values() const { return values_; }

 private:
  std::vector<std::int32_t> place_;
  std::vector<std::int32_t> columns_;
  std::vector<double> values_;
};

// Solves A x = right, where A = I - g B and |B| <= 1 in the given norm.
//
// BiCGSTAB [vanDerVorst1992] usually takes a few dozen products but promises nothing. The plain
// iteration x += right - A x promises a residual that falls by g each time, and needs many
// products. So: Krylov first, started again from where it stopped while that helps, and the plain
// iteration for whatever is left. The accepted residual is computed anew from its definition.
template <class Product, class Norm>
Vector solve(const Product& product, const Vector& right, double tolerance, const Norm& norm) {
  const double scale = norm(right);
  if (scale == 0.0) return Vector::Zero(right.size());
  const KrylovOptions options{.relative_residual = std::max(0.1 * tolerance / scale, 1e-15)};
  Vector x = right;
  Vector residual = right - product(x);
  double reached = norm(residual);
  for (int round = 0; round < 10 && reached > tolerance; ++round) {
    const Vector next = bicgstab(product, right, x, options);
    if (!next.allFinite()) break;
    const Vector left = right - product(next);
    if (!(norm(left) < 0.5 * reached)) break;
    x = next;
    residual = left;
    reached = norm(left);
  }
  // Below this, rounding in the product hides the residual.
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * (norm(x) + scale);
  while (reached > std::max(tolerance, rounding)) {
    x += residual;
    residual = right - product(x);
    reached = norm(residual);
  }
  return x;
}

}  // namespace
DiscountedSystem::DiscountedSystem(const SparseMatrix& kernel, const Matrix& pi, double discount)
    : states_(pi.rows()) {
  const Index actions = pi.cols();
  const std::int32_t* begin = kernel.outerIndexPtr();
  const std::int32_t* next = kernel.innerIndexPtr();
  const double* probability = kernel.valuePtr();

  // Room for each block of columns, by a count that merging can only lower.
  const auto blocks = static_cast<std::size_t>((states_ - 1) >> kBlockBits) + 1;
  std::vector<std::size_t> first(blocks + 1, 0);
  for (Index e = 0; e < kernel.nonZeros(); ++e) ++first[(next[e] >> kBlockBits) + 1];
  for (std::size_t b = 0; b < blocks; ++b) first[b + 1] += first[b];
  std::vector<std::size_t> last(first.begin(), first.end() - 1);

  entries_.resize(first[blocks]);
  MergedRow row(states_);
  for (Index s = 0; s < states_; ++s) {
    row.clear();
    for (Index a = 0; a < actions; ++a) {
      const double weight = discount * pi(s, a);
      if (weight == 0.0) continue;
      for (std::int32_t e = begin[s * actions + a]; e < begin[s * actions + a + 1]; ++e) {
        row.add(next[e], weight * probability[e]);
      }
    }
    for (std::size_t k = 0; k < row.columns().size(); ++k) {
      const std::int32_t column = row.columns()[k];
      entries_[last[column >> kBlockBits]++] = {static_cast<std::int32_t>(s), column,
                                                row.values()[k]};
    }
  }
  // Close the gaps that merging left between the blocks.
  auto end = entries_.begin();
  for (std::size_t b = 0; b < blocks; ++b) {
    end = std::move(entries_.begin() + first[b], entries_.begin() + last[b], end);
  }
  entries_.erase(end, entries_.end());
}

Vector DiscountedSystem::multiply(const Vector& x) const {
  Vector y = x;
  for (const Entry& e : entries_) y[e.row] -= e.value * x[e.column];
  return y;
}

Vector DiscountedSystem::multiply_transposed(const Vector& x) const {
  Vector y = x;
  for (const Entry& e : entries_) y[e.column] -= e.value * x[e.row];
  return y;
}

Vector DiscountedSystem::solve_flow(const Vector& source, double tolerance) const {
  check_size("source", source.size(), states_);
  return solve([this](const Vector& x) { return multiply_transposed(x); }, source, tolerance,
               [](const Vector& x) { return x.lpNorm<1>(); });
}

Vector DiscountedSystem::solve_value(const Vector& cost, double tolerance) const {
  check_size("cost", cost.size(), states_);
  return solve([this](const Vector& x) { return multiply(x); }, cost, tolerance,
               [](const Vector& x) { return x.lpNorm<Eigen::Infinity>(); });
}

}  // namespace rgu
