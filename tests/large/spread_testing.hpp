// A whole world beside its spread copy, for comparisons.
#pragma once

#include <gtest/gtest.h>

#include "laws/models.hpp"
#include "mpi/job.hpp"
#include "rgu/large/spread_model.hpp"
#include "rgu/mdp/generators.hpp"

namespace rgu {

inline World test_garnet(Index states, double discount, std::uint64_t seed = 1) {
  Rng rng(seed);
  return garnet({.states = states, .actions = 3, .branching = 4, .discount = discount}, rng);
}

// Slow mixing: what happens at one end is long in coming to the other.
inline World test_grid(double discount) {
  std::string map;
  for (int row = 0; row < 12; ++row)
    map +=
        std::string(row == 0 ? "S" : ".") + std::string(13, '.') + (row == 11 ? "G" : ".") + "\n";
  return grid_world(map, {.slip = 0.1, .discount = discount});
}

struct SpreadWorld {
  explicit SpreadWorld(World made)
      : world(std::move(made)),
        spread(slice_of(world, own_states(world.mdp.states(), job())), job()) {}

  // The rows of this rank.
  template <class Table>
  Table own(const Table& whole) const {
    return whole.middleRows(spread.own().first, spread.own().size());
  }

  World world;
  SpreadModel spread;
};

// Own rows against those of the whole. The first is evaluated once, on every rank: it may be a call
// that all make together.
#define EXPECT_OWN_NEAR(own_part, whole, tolerance)                           \
  do {                                                                        \
    const auto own_value = (own_part).eval();                                 \
    const auto own_expected = both.own(whole).eval();                         \
    ASSERT_EQ(own_value.rows(), own_expected.rows());                         \
    if (own_expected.size() > 0) {                                            \
      EXPECT_LE((own_value - own_expected).cwiseAbs().maxCoeff(), tolerance); \
    }                                                                         \
  } while (false)

}  // namespace rgu
