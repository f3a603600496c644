#include "same_world.hpp"

#include <algorithm>

namespace rgu::fuzz {
namespace {

SparseMatrix positive_entries(const FiniteMdp& mdp) {
  SparseMatrix entries =
      mdp.is_sparse() ? mdp.sparse_kernel() : SparseMatrix(mdp.dense_kernel().sparseView(0.0, 0.0));
  entries.prune([](Index, Index, double value) { return value > 0; });
  return entries;
}

bool same_entries(const SparseMatrix& x, const SparseMatrix& y) {
  if (x.rows() != y.rows() || x.cols() != y.cols() || x.nonZeros() != y.nonZeros()) return false;
  return std::equal(x.outerIndexPtr(), x.outerIndexPtr() + x.rows() + 1, y.outerIndexPtr()) &&
         std::equal(x.innerIndexPtr(), x.innerIndexPtr() + x.nonZeros(), y.innerIndexPtr()) &&
         std::equal(x.valuePtr(), x.valuePtr() + x.nonZeros(), y.valuePtr());
}

bool same_grid(const std::optional<GridLayout>& x, const std::optional<GridLayout>& y) {
  if (!x || !y) return x.has_value() == y.has_value();
  return x->rows == y->rows && x->columns == y->columns && x->cell_of_state == y->cell_of_state;
}

}  // namespace

bool same_world(const World& x, const World& y) {
  return x.mdp.is_sparse() == y.mdp.is_sparse() &&
         same_entries(positive_entries(x.mdp), positive_entries(y.mdp)) &&
         x.mdp.start() == y.mdp.start() && x.mdp.discount() == y.mdp.discount() &&
         x.signals == y.signals && same_grid(x.grid, y.grid);
}

}  // namespace rgu::fuzz
