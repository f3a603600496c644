// A part of a world: what belongs to a range of its states. Where a world is divided among
// processes, each holds one slice, and no process need ever hold the whole.
#pragma once

#include <map>
#include <string>

#include "rgu/mdp/world.hpp"

namespace rgu {

struct ModelSize {
  Index states = 0;
  Index actions = 0;
  bool operator==(const ModelSize&) const = default;
};

// The states first .. last - 1; empty where both are equal.
struct StateRange {
  Index first = 0;
  Index last = 0;
  Index size() const { return last - first; }
  bool operator==(const StateRange&) const = default;
};

struct WorldSlice {
  Index states = 0;  // S, of the whole world
  Index actions = 0;
  double discount = 0;
  StateRange own;
  SparseMatrix rows;  // (own * A, S): row i of state own.first + i / A, action i % A
  Vector start;       // (own)
  std::map<std::string, Matrix> signals = {};  // each (own, A)
};

// Throws InvalidInput unless 0 <= first <= last <= states.
void check_range(const StateRange& own, Index states);

// Throws InvalidInput unless the parts have the shapes above, 0 < discount < 1, every row is a
// distribution as in a FiniteMdp, the start probabilities are finite and >= 0, and the signals are
// finite. That the start sums to 1 over all slices is for whoever holds them all to check.
void check_slice(const WorldSlice& slice);

// The slice of a world. A sparse kernel keeps its entries, zeros too; of a dense one those that are
// not 0 are taken. Throws InvalidInput unless the range lies within the states.
WorldSlice slice_of(const World& world, const StateRange& own);

// The world, without grid, of a slice that owns every state. Throws InvalidInput if it does not, or
// if the slice is no proper model.
World world_of(WorldSlice slice);

}  // namespace rgu
