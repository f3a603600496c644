// Are two slices the same, number for number?
#pragma once

#include "mdp/same_world.hpp"
#include "rgu/mdp/world_slice.hpp"

namespace rgu {

inline void expect_same_slice(const WorldSlice& x, const WorldSlice& y) {
  EXPECT_EQ(x.states, y.states);
  EXPECT_EQ(x.actions, y.actions);
  EXPECT_EQ(x.discount, y.discount);
  EXPECT_EQ(x.own, y.own);
  expect_same_entries(x.rows, y.rows);
  EXPECT_EQ(x.start, y.start);
  EXPECT_EQ(x.signals, y.signals);
}

// The states 0 .. n - 1 divided in several ways, with empty ranges among them.
inline std::vector<StateRange> partition_ranges(Index n) {
  std::vector<StateRange> ranges = {{0, n}, {0, 0}, {n, n}, {n / 2, n / 2}};
  for (const Index parts : {Index{2}, Index{3}, n}) {
    for (Index i = 0; i < parts; ++i) ranges.push_back({i * n / parts, (i + 1) * n / parts});
  }
  return ranges;
}

}  // namespace rgu
