#include "rgu/mdp/reachability.hpp"

#include <algorithm>
#include <utility>

namespace rgu {

std::vector<Index> reachable_states(const FiniteMdp& mdp) {
  std::vector<Index> found;
  std::vector<char> seen(static_cast<std::size_t>(mdp.states()), 0);
  const auto visit = [&](Index s, double p) {
    if (p > 0 && !std::exchange(seen[static_cast<std::size_t>(s)], 1)) found.push_back(s);
  };
  for (Index s = 0; s < mdp.states(); ++s) visit(s, mdp.start()(s));
  for (std::size_t k = 0; k < found.size() && std::ssize(found) < mdp.states(); ++k) {
    for (Index a = 0; a < mdp.actions(); ++a) {
      for_each_successor(mdp, found[k] * mdp.actions() + a, visit);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

FiniteMdp restricted_model(const FiniteMdp& mdp, const std::vector<Index>& states) {
  const Index count = std::ssize(states), actions = mdp.actions();
  std::vector<Index> place(static_cast<std::size_t>(mdp.states()), -1);
  Vector start(count);
  for (Index k = 0; k < count; ++k) {
    const Index s = states[static_cast<std::size_t>(k)];
    place[static_cast<std::size_t>(s)] = k;
    start(k) = mdp.start()(s);
  }
  std::vector<Eigen::Triplet<double, std::int32_t>> entries;
  Matrix dense = Matrix::Zero(mdp.is_sparse() ? 0 : count * actions, count);
  for (Index row = 0; row < count * actions; ++row) {
    const Index from = states[static_cast<std::size_t>(row / actions)] * actions + row % actions;
    for_each_successor(mdp, from, [&](Index s, double p) {
      const Index k = place[static_cast<std::size_t>(s)];
      if (mdp.is_sparse()) {
        entries.emplace_back(static_cast<std::int32_t>(row), static_cast<std::int32_t>(k), p);
      } else {
        dense(row, k) = p;
      }
    });
  }
  if (!mdp.is_sparse()) return {std::move(dense), std::move(start), mdp.discount()};
  SparseMatrix sparse(count * actions, count);
  sparse.setFromTriplets(entries.begin(), entries.end());
  return {std::move(sparse), std::move(start), mdp.discount()};
}

}  // namespace rgu
