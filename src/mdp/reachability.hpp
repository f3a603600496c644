// The part of a model that some policy visits.
#pragma once

#include <vector>

#include "rgu/mdp/finite_mdp.hpp"

namespace rgu {

// Calls visit(s', P(s'|row)) for every possible transition of a row of the kernel.
template <class Visit>
void for_each_successor(const FiniteMdp& mdp, Index row, const Visit& visit) {
  if (mdp.is_sparse()) {
    for (SparseMatrix::InnerIterator entry(mdp.sparse_kernel(), row); entry; ++entry) {
      if (entry.value() > 0) visit(Index{entry.col()}, entry.value());
    }
    return;
  }
  for (Index s = 0; s < mdp.states(); ++s) {
    if (const double p = mdp.dense_kernel()(row, s); p > 0) visit(s, p);
  }
}

// The states that some policy visits, ascending.
std::vector<Index> reachable_states(const FiniteMdp& mdp);

// The model on those states alone, of the same kind of kernel; `states` must be the reachable ones.
FiniteMdp restricted_model(const FiniteMdp& mdp, const std::vector<Index>& states);

}  // namespace rgu
