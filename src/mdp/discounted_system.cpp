#include "rgu/mdp/discounted_system.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "rgu/base/check.hpp"
#include "rgu/base/krylov.hpp"

namespace rgu {
namespace {

// Half a megabyte of a vector, which fits the second-level cache of a server CPU.
constexpr int kBlockBits = 16;
// Plain steps without a smaller residual, which falls with each of them but for rounding.
constexpr int kStalledSteps = 100;

// The distinct successors of one state and their probabilities under the policy. Few of them are
// searched one by one, which stays in the fastest cache; many by a table over all states.
class MergedRow {
 public:
  explicit MergedRow(Index states) : states_(states) {}

  void clear() {
    if (!place_.empty()) {
      for (const std::int32_t column : columns_) place_[column] = -1;
    }
    columns_.clear();
    values_.clear();
  }

  void add(std::int32_t column, double value) {
    const std::size_t at = find(column);
    if (at < columns_.size()) {
      values_[at] += value;
      return;
    }
    if (!place_.empty()) place_[column] = static_cast<std::int32_t>(at);
    columns_.push_back(column);
    values_.push_back(value);
    if (place_.empty() && columns_.size() > kSearched) make_table();
  }

  const std::vector<std::int32_t>& columns() const { return columns_; }
  const std::vector<double>& values() const { return values_; }

 private:
  static constexpr std::size_t kSearched = 24;

  // Where the column stands; the number of columns if it does not.
  std::size_t find(std::int32_t column) const {
    if (!place_.empty()) {
      const std::int32_t at = place_[column];
      return at < 0 ? columns_.size() : static_cast<std::size_t>(at);
    }
    return static_cast<std::size_t>(std::find(columns_.begin(), columns_.end(), column) -
                                    columns_.begin());
  }

  void make_table() {
    place_.assign(static_cast<std::size_t>(states_), -1);
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      place_[columns_[k]] = static_cast<std::int32_t>(k);
    }
  }

  Index states_;
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
  Vector product_of_x;
  const auto residual_at = [&](const Vector& at) -> Vector {
    product(at, product_of_x);
    return right - product_of_x;
  };
  Vector residual = residual_at(x);
  double reached = norm(residual);
  for (int round = 0; round < 10 && reached > tolerance; ++round) {
    Vector next = bicgstab(product, right, x, options);
    if (!next.allFinite()) break;
    Vector left = residual_at(next);
    if (!(norm(left) < 0.5 * reached)) break;
    x = std::move(next);
    residual = std::move(left);
    reached = norm(residual);
  }
  // Below this, rounding in the product hides the residual.
  const auto rounding = [&] { return 4 * kEps * (norm(x) + scale); };
  double least = kInfinity;
  for (int stalled = 0; reached > std::max(tolerance, rounding()) && stalled < kStalledSteps;) {
    stalled = reached < least ? 0 : stalled + 1;
    least = std::min(least, reached);
    x += residual;
    residual = residual_at(x);
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
  blocks_.resize(static_cast<std::size_t>((states_ - 1) >> kBlockBits) + 1);
  for (Index e = 0; e < kernel.nonZeros(); ++e) ++blocks_[next[e] >> kBlockBits].end;
  std::size_t room = 0;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    room += std::exchange(blocks_[b].end, room);
    blocks_[b].begin = blocks_[b].end;
    blocks_[b].first_column = static_cast<Index>(b) << kBlockBits;
  }

  rows_ = std::make_unique_for_overwrite<std::int32_t[]>(room);
  columns_ = std::make_unique_for_overwrite<std::uint16_t[]>(room);
  values_ = std::make_unique_for_overwrite<double[]>(room);
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
      const std::size_t at = blocks_[column >> kBlockBits].end++;
      rows_[at] = static_cast<std::int32_t>(s);
      columns_[at] = static_cast<std::uint16_t>(column);
      values_[at] = row.values()[k];
    }
  }
}

void DiscountedSystem::multiply(const Vector& x, Vector& y) const {
  y = x;
  for (const Block& block : blocks_) {
    const double* from = x.data() + block.first_column;
    for (std::size_t e = block.begin; e < block.end; ++e) {
      y[rows_[e]] -= values_[e] * from[columns_[e]];
    }
  }
}

void DiscountedSystem::multiply_transposed(const Vector& x, Vector& y) const {
  y = x;
  for (const Block& block : blocks_) {
    double* to = y.data() + block.first_column;
    for (std::size_t e = block.begin; e < block.end; ++e) {
      to[columns_[e]] -= values_[e] * x[rows_[e]];
    }
  }
}

Vector DiscountedSystem::solve_flow(const Vector& source, double tolerance) const {
  check_size("source", source.size(), states_);
  return solve([this](const Vector& x, Vector& y) { multiply_transposed(x, y); }, source, tolerance,
               [](const Vector& x) { return x.lpNorm<1>(); });
}

Vector DiscountedSystem::solve_value(const Vector& cost, double tolerance) const {
  check_size("cost", cost.size(), states_);
  return solve([this](const Vector& x, Vector& y) { multiply(x, y); }, cost, tolerance,
               [](const Vector& x) { return x.lpNorm<Eigen::Infinity>(); });
}

}  // namespace rgu
