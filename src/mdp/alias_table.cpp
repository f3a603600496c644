#include "rgu/mdp/alias_table.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rgu/base/check.hpp"

namespace rgu {
namespace {

constexpr int kThresholdBits = 64 - AliasTable::kAliasBits;
constexpr std::uint64_t kLargestThreshold = (std::uint64_t{1} << kThresholdBits) - 1;

// `own` in [0, 1], rounded to 40 bits, halves up.
std::uint64_t threshold(double own) {
  constexpr auto kScale = static_cast<double>(std::uint64_t{1} << kThresholdBits);
  const double scaled = own * kScale;  // exact
  const auto whole = static_cast<std::int64_t>(scaled);
  const bool up = scaled - static_cast<double>(whole) >= 0.5;
  return std::min(static_cast<std::uint64_t>(whole + up), kLargestThreshold);
}

constexpr Index kCellsPerPiece = 1 << 12;  // of a table that threads fill; about 50 us

// Its loops run on the calling thread.
ThreadPool& one_thread() {
  static ThreadPool pool(1);
  return pool;
}

}  // namespace

struct AliasTable::Scratch {
  std::vector<double> mass = {};
  // Stacks, each with room for all cells of a row.
  std::vector<std::uint32_t> small = {};
  std::vector<std::uint32_t> large = {};
};

template <class RowOf>
void AliasTable::fill_all(Index rows, RowOf row_of, ThreadPool& pool) {
  const auto cells = static_cast<Index>(cells_.size());
  const Index pieces = std::clamp<Index>(cells / kCellsPerPiece, 1, std::max<Index>(rows, 1));
  pool.for_each(pieces, [&](Index piece) {
    Scratch scratch;
    for (Index r = piece * rows / pieces; r < (piece + 1) * rows / pieces; ++r) {
      const auto [begin, row] = row_of(r);
      fill(row, r, begin, scratch);
    }
  });
}

AliasTable::AliasTable(const Matrix& rows) : AliasTable(rows, one_thread()) {}
AliasTable::AliasTable(const SparseMatrix& rows) : AliasTable(rows, one_thread()) {}

AliasTable::AliasTable(const Matrix& rows, ThreadPool& pool)
    : width_(static_cast<std::size_t>(rows.cols())), cells_(static_cast<std::size_t>(rows.size())) {
  const auto row_of = [&](Index r) {
    return std::pair(static_cast<std::size_t>(r) * width_,
                     std::span<const double>(rows.data() + r * rows.cols(), width_));
  };
  fill_all(rows.rows(), row_of, pool);
}

AliasTable::AliasTable(const SparseMatrix& rows, ThreadPool& pool)
    : begin_(rows.outerIndexPtr(), rows.outerIndexPtr() + rows.rows() + 1),
      columns_(rows.innerIndexPtr(), rows.innerIndexPtr() + rows.nonZeros()),
      cells_(static_cast<std::size_t>(rows.nonZeros())) {
  const auto row_of = [&](Index r) {
    return std::pair(
        begin_[r], std::span<const double>(rows.valuePtr() + begin_[r], begin_[r + 1] - begin_[r]));
  };
  fill_all(rows.rows(), row_of, pool);
}

// Vose's construction: cells with less than their share are topped up by those with more.
void AliasTable::fill(std::span<const double> row, Index row_number, std::size_t begin,
                      Scratch& scratch) {
  const auto count = static_cast<Index>(row.size());
  check(count <= kLargestRow, "row {} has {} outcomes, must have at most {}", row_number, count,
        kLargestRow);
  double sum = 0;
  for (const double p : row) sum += p;
  check(std::isfinite(sum) && sum > 0, "row {} sums to {}, must be finite and > 0", row_number,
        sum);
  const double share = static_cast<double>(count) / sum;
  if (scratch.mass.size() < row.size()) {
    scratch.mass.resize(row.size());
    scratch.small.resize(row.size());
    scratch.large.resize(row.size());
  }
  double* mass = scratch.mass.data();
  std::uint32_t* small = scratch.small.data();
  std::uint32_t* large = scratch.large.data();
  std::size_t smalls = 0, larges = 0;
  for (std::uint32_t i = 0; i < row.size(); ++i) {
    mass[i] = row[i] * share;
    // Both are written and one is kept: a branch would be mispredicted half of the time.
    const bool less = mass[i] < 1.0;
    small[smalls] = i;
    large[larges] = i;
    smalls += less;
    larges += !less;
  }
  std::uint64_t* cells = cells_.data() + begin;
  const auto put = [cells](std::uint32_t cell, double own, std::uint32_t alias) {
    cells[cell] = (threshold(own) << kAliasBits) | alias;
  };
  while (smalls > 0 && larges > 0) {
    const std::uint32_t less = small[--smalls];
    const std::uint32_t more = large[larges - 1];
    put(less, mass[less], more);
    mass[more] -= 1.0 - mass[less];
    if (mass[more] < 1.0) {
      --larges;
      small[smalls++] = more;
    }
  }
  // What is left is full up to rounding. An impossible outcome is never left over as full: its
  // cell then goes to a possible one.
  std::uint32_t possible = 0;
  while (!(row[possible] > 0)) ++possible;
  for (std::size_t k = 0; k < larges; ++k) put(large[k], 1.0, large[k]);
  for (std::size_t k = 0; k < smalls; ++k) {
    const std::uint32_t i = small[k];
    if (row[i] > 0) {
      put(i, 1.0, i);
    } else {
      put(i, 0.0, possible);
    }
  }
}

}  // namespace rgu
