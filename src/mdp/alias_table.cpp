#include "rgu/mdp/alias_table.hpp"

#include <algorithm>
#include <cmath>

#include "rgu/base/check.hpp"

namespace rgu {

AliasTable::AliasTable(const Matrix& rows) : width_(static_cast<std::size_t>(rows.cols())) {
  cells_.resize(static_cast<std::size_t>(rows.size()));
  for (Index r = 0; r < rows.rows(); ++r) {
    fill(static_cast<std::size_t>(r) * width_, {rows.data() + r * rows.cols(), width_}, r);
  }
}

AliasTable::AliasTable(const SparseMatrix& rows)
    : begin_(rows.outerIndexPtr(), rows.outerIndexPtr() + rows.rows() + 1),
      columns_(rows.innerIndexPtr(), rows.innerIndexPtr() + rows.nonZeros()),
      cells_(static_cast<std::size_t>(rows.nonZeros())) {
  for (Index r = 0; r < rows.rows(); ++r) {
    fill(begin_[r], {rows.valuePtr() + begin_[r], begin_[r + 1] - begin_[r]}, r);
  }
}

// Vose's construction: cells with less than their share are topped up by those with more.
void AliasTable::fill(std::size_t begin, std::span<const double> row, Index row_number) {
  const auto count = static_cast<Index>(row.size());
  check(count <= kLargestRow, "row {} has {} outcomes, must have at most {}", row_number, count,
        kLargestRow);
  double sum = 0;
  for (const double p : row) sum += p;
  check(std::isfinite(sum) && sum > 0, "row {} sums to {}, must be finite and > 0", row_number,
        sum);
  const double share = static_cast<double>(count) / sum;
  mass_.resize(row.size());
  small_.clear();
  large_.clear();
  for (std::uint32_t i = 0; i < row.size(); ++i) {
    mass_[i] = row[i] * share;
    (mass_[i] < 1.0 ? small_ : large_).push_back(i);
  }
  const auto put = [&](std::uint32_t cell, double own, std::uint32_t alias) {
    const auto threshold =
        static_cast<std::uint64_t>(std::llround(std::ldexp(own, 64 - kAliasBits)));
    const std::uint64_t most = (std::uint64_t{1} << (64 - kAliasBits)) - 1;
    cells_[begin + cell] = (std::min(threshold, most) << kAliasBits) | alias;
  };
  while (!small_.empty() && !large_.empty()) {
    const std::uint32_t less = small_.back();
    const std::uint32_t more = large_.back();
    small_.pop_back();
    put(less, mass_[less], more);
    mass_[more] -= 1.0 - mass_[less];
    if (mass_[more] < 1.0) {
      large_.pop_back();
      small_.push_back(more);
    }
  }
  // What is left is full up to rounding. An impossible outcome is never left over as full: its
  // cell then goes to a possible one.
  std::uint32_t possible = 0;
  while (!(row[possible] > 0)) ++possible;
  for (const std::uint32_t i : large_) put(i, 1.0, i);
  for (const std::uint32_t i : small_) {
    if (row[i] > 0) {
      put(i, 1.0, i);
    } else {
      put(i, 0.0, possible);
    }
  }
}

}  // namespace rgu
