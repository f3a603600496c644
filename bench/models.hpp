// Models for the benchmarks, made without the library's generators so that each file stands alone.
#pragma once

#include <vector>

#include "rgu/base/rng.hpp"
#include "rgu/mdp/finite_mdp.hpp"

namespace rgu::bench {

// Every row i.i.d. uniform, normalised.
inline FiniteMdp dense_model(Index states, Index actions, double discount) {
  Rng rng(1);
  Matrix kernel(states * actions, states);
  for (Index r = 0; r < kernel.rows(); ++r) {
    for (Index s = 0; s < states; ++s) kernel(r, s) = rng.uniform();
    kernel.row(r) /= kernel.row(r).sum();
  }
  return {std::move(kernel), Vector::Constant(states, 1.0 / static_cast<double>(states)), discount};
}

// `branching` successors for each pair, drawn with replacement and merged.
inline FiniteMdp sparse_model(Index states, Index actions, Index branching, double discount) {
  Rng rng(1);
  std::vector<Eigen::Triplet<double, std::int32_t>> entries;
  entries.reserve(static_cast<std::size_t>(states * actions * branching));
  for (Index r = 0; r < states * actions; ++r) {
    for (Index b = 0; b < branching; ++b) {
      entries.emplace_back(static_cast<std::int32_t>(r),
                           static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(states))),
                           1.0 / static_cast<double>(branching));
    }
  }
  SparseMatrix kernel(states * actions, states);
  kernel.setFromTriplets(entries.begin(), entries.end());
  return {std::move(kernel), Vector::Constant(states, 1.0 / static_cast<double>(states)), discount};
}

inline Matrix random_policy(Index states, Index actions) {
  Rng rng(2);
  Matrix pi(states, actions);
  for (Index s = 0; s < states; ++s) {
    for (Index a = 0; a < actions; ++a) pi(s, a) = 0.1 + rng.uniform();
    pi.row(s) /= pi.row(s).sum();
  }
  return pi;
}

}  // namespace rgu::bench
