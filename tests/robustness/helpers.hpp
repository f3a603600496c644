// Small things the tests of this folder share.
#pragma once

#include "rgu/base/rng.hpp"
#include "rgu/robustness/members.hpp"
#include "rgu/robustness/worst_case.hpp"

namespace rgu {

inline Matrix normal_matrix(Index rows, Index columns, Rng& rng) {
  return as_matrix(normal_vector(rows * columns, rng), rows, columns);
}

// Positive and of sum 1.
inline Matrix random_occupancy(Index states, Index actions, Rng& rng) {
  const Vector mass = uniform_vector(states * actions, rng).array() + 0.05;
  return as_matrix(Vector(mass / mass.sum()), states, actions);
}

// The largest f among random members.
inline double best_random_member(const Utility& utility, const ConvexSet& set,
                                 const Matrix& occupancy, int members = 2000) {
  Rng rng(97);
  double best = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < members; ++k) {
    best = std::max(best, utility.evaluate(occupancy, random_member(set, rng)).value);
  }
  return best;
}

}  // namespace rgu
