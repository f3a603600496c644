// Are two worlds the same, number for number?
#pragma once

#include <gtest/gtest.h>

#include "rgu/mdp/world.hpp"

namespace rgu {

// The positive entries of a kernel as a sparse matrix, whatever its storage.
inline SparseMatrix positive_entries(const FiniteMdp& mdp) {
  SparseMatrix entries =
      mdp.is_sparse() ? mdp.sparse_kernel() : SparseMatrix(mdp.dense_kernel().sparseView(0.0, 0.0));
  entries.prune([](Index, Index, double value) { return value > 0; });
  return entries;
}

inline void expect_same_entries(const SparseMatrix& x, const SparseMatrix& y) {
  ASSERT_EQ(x.rows(), y.rows());
  ASSERT_EQ(x.cols(), y.cols());
  ASSERT_EQ(x.nonZeros(), y.nonZeros());
  for (Index row = 0; row <= x.rows(); ++row) {
    ASSERT_EQ(x.outerIndexPtr()[row], y.outerIndexPtr()[row]) << "row " << row;
  }
  for (Index i = 0; i < x.nonZeros(); ++i) {
    ASSERT_EQ(x.innerIndexPtr()[i], y.innerIndexPtr()[i]) << "entry " << i;
    ASSERT_EQ(x.valuePtr()[i], y.valuePtr()[i]) << "entry " << i;
  }
}

inline void expect_same_world(const World& x, const World& y) {
  ASSERT_EQ(x.mdp.is_sparse(), y.mdp.is_sparse());
  if (x.mdp.is_sparse()) {
    expect_same_entries(x.mdp.sparse_kernel(), y.mdp.sparse_kernel());
  } else {
    EXPECT_EQ(x.mdp.dense_kernel(), y.mdp.dense_kernel());
  }
  EXPECT_EQ(x.mdp.start(), y.mdp.start());
  EXPECT_EQ(x.mdp.discount(), y.mdp.discount());
  EXPECT_EQ(x.signals, y.signals);
  ASSERT_EQ(x.grid.has_value(), y.grid.has_value());
  if (!x.grid) return;
  EXPECT_EQ(x.grid->rows, y.grid->rows);
  EXPECT_EQ(x.grid->columns, y.grid->columns);
  EXPECT_EQ(x.grid->cell_of_state, y.grid->cell_of_state);
}

}  // namespace rgu
