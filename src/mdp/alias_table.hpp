// Draws from many fixed discrete distributions in constant time each, by Walker's alias method
// [Walker1977, Vose1991].
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rgu/base/large_array.hpp"
#include "rgu/base/thread_pool.hpp"
#include "rgu/base/types.hpp"
#include "rgu/mdp/walk_loop.hpp"

namespace rgu {

// One distribution per row. A row of n outcomes is n cells of equal mass; a cell is split between
// its own outcome and one other, its alias. Probabilities are kept to 2^-40 / n, zero ones exactly,
// relative to the sum of their row.
class AliasTable {
 public:
  static constexpr int kAliasBits = 24;
  static constexpr Index kLargestRow = Index{1} << kAliasBits;

  // rows: (rows, n), nonnegative, each with a positive sum. The threads of the pool share the rows.
  explicit AliasTable(const Matrix& rows);
  AliasTable(const Matrix& rows, ThreadPool& pool);
  // Outcomes are the columns of stored entries.
  explicit AliasTable(const SparseMatrix& rows);
  AliasTable(const SparseMatrix& rows, ThreadPool& pool);

  struct Cell {
    std::size_t place;       // of the cell in the table
    std::uint32_t outcome;   // the cell's own outcome, counted within the row
    std::uint64_t fraction;  // what is left of the random word, 40 bits
  };

  // Which cell of `row` a random word falls in. Touches no cell, so that the caller can ask for
  // its memory early.
  Cell locate(std::size_t row, std::uint64_t bits) const {
    const std::size_t begin = width_ ? row * width_ : begin_[row];
    const std::size_t count = width_ ? width_ : begin_[row + 1] - begin;
    const Uint128 product = static_cast<Uint128>(bits) * count;
    const auto outcome = static_cast<std::uint32_t>(product >> 64);
    return {begin + outcome, outcome, static_cast<std::uint64_t>(product) >> kAliasBits};
  }

  // Is the table small enough that asking for its cells early gains nothing?
  bool fits_cache() const { return cells_.size() <= (std::size_t{1} << 15); }
  void prefetch(const Cell& cell) const { __builtin_prefetch(&cells_[cell.place]); }

  // The outcome: its index within the row, or its column where rows are sparse.
  std::uint32_t outcome(std::size_t row, const Cell& cell) const {
    const std::uint64_t content = cells_[cell.place];
    const auto alias = static_cast<std::uint32_t>(content & (kLargestRow - 1));
    // Without a branch: which way it goes is random, so a branch would be mispredicted.
    const std::uint32_t own = -static_cast<std::uint32_t>(cell.fraction < (content >> kAliasBits));
    const std::uint32_t chosen = alias ^ ((alias ^ cell.outcome) & own);
    return columns_.empty() ? chosen : columns_[begin_[row] + chosen];
  }

  // The cells themselves where all rows have as many outcomes, none of them renamed; else width 0.
  AliasCells cells() const { return {cells_.data(), width_}; }

  std::uint32_t draw(std::size_t row, std::uint64_t bits) const {
    return outcome(row, locate(row, bits));
  }

 private:
  struct Scratch;
  void fill(std::span<const double> row, Index row_number, std::size_t begin, Scratch& scratch);
  template <class RowOf>
  void fill_all(Index rows, RowOf row_of, ThreadPool& pool);

  std::size_t width_ = 0;              // outcomes of every row, 0 where rows differ
  LargeArray<std::size_t> begin_;      // sparse only: where each row starts
  LargeArray<std::uint32_t> columns_;  // sparse only
  LargeArray<std::uint64_t> cells_;    // threshold (40 bits) and alias (24 bits)
};

}  // namespace rgu
