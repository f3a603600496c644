// Small models and policies for tests.
#pragma once

#include <vector>

#include "rgu/base/rng.hpp"
#include "rgu/mdp/finite_mdp.hpp"

namespace rgu::testing_models {

// Positive rows that sum to 1.
inline Matrix random_stochastic(Index rows, Index columns, Rng& rng) {
  Matrix matrix(rows, columns);
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c) matrix(r, c) = rng.exponential();
    matrix.row(r) /= matrix.row(r).sum();
  }
  return matrix;
}

inline FiniteMdp random_dense(Index states, Index actions, double discount, std::uint64_t seed) {
  Rng rng(seed);
  Matrix kernel = random_stochastic(states * actions, states, rng);
  return {std::move(kernel), random_stochastic(1, states, rng).row(0).transpose(), discount};
}

// Three successors for each pair, the start in state 0.
inline FiniteMdp random_sparse(Index states, Index actions, double discount, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Eigen::Triplet<double, std::int32_t>> entries;
  for (Index r = 0; r < states * actions; ++r) {
    const Matrix share = random_stochastic(1, 3, rng);
    for (Index k = 0; k < 3; ++k) {
      entries.emplace_back(static_cast<std::int32_t>(r),
                           static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(states))),
                           share(0, k));
    }
  }
  SparseMatrix kernel(states * actions, states);
  kernel.setFromTriplets(entries.begin(), entries.end());
  return {std::move(kernel), Vector::Unit(states, 0), discount};
}

// The same model with the other kind of kernel.
inline FiniteMdp as_dense(const FiniteMdp& mdp) {
  return {Matrix(mdp.sparse_kernel()), mdp.start(), mdp.discount()};
}
inline FiniteMdp as_sparse(const FiniteMdp& mdp) {
  return {SparseMatrix(mdp.dense_kernel().sparseView()), mdp.start(), mdp.discount()};
}

inline Matrix random_policy(const FiniteMdp& mdp, std::uint64_t seed) {
  Rng rng(seed);
  return random_stochastic(mdp.states(), mdp.actions(), rng);
}

}  // namespace rgu::testing_models
