// What the writers share: the parts of a world, checked, in the order that files list them.
#pragma once

#include <string>

#include "rgu/base/check.hpp"
#include "rgu/mdp/io/file_options.hpp"
#include "rgu/mdp/world.hpp"

namespace rgu {

// Throws InvalidInput unless `signal` is (S, A) and finite.
void check_signal(const FiniteMdp& mdp, const std::string& name, const Matrix& signal);

// Throws InvalidInput unless `grid` has a cell of its own for each state.
void check_grid(const FiniteMdp& mdp, const GridLayout& grid);

// The signal that options.reward names, or zeros. Throws InvalidInput if it is missing or unfit.
Matrix written_reward(const World& world, const WriteOptions& options);

// Calls visit(state, action, next, probability) for each positive entry of the kernel, by state,
// action and next state.
template <class Visit>
void for_each_transition(const FiniteMdp& mdp, Visit visit) {
  const Index actions = mdp.actions();
  for (Index row = 0; row < mdp.states() * actions; ++row) {
    if (mdp.is_sparse()) {
      for (SparseMatrix::InnerIterator entry(mdp.sparse_kernel(), row); entry; ++entry) {
        if (entry.value() > 0) visit(row / actions, row % actions, entry.col(), entry.value());
      }
      continue;
    }
    for (Index next = 0; next < mdp.states(); ++next) {
      const double probability = mdp.dense_kernel()(row, next);
      if (probability > 0) visit(row / actions, row % actions, next, probability);
    }
  }
}

}  // namespace rgu
