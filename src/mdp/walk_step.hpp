// One step of all lanes of a sampler at once, where rows of both tables have equal numbers of
// outcomes. Included by files that are compiled for other instruction sets: it includes nothing
// that has inline code.
#pragma once

#include <cstdint>

namespace rgu {

// The cells of an AliasTable, each row `width` of them: threshold (40 bits) and alias (24 bits).
struct AliasCells {
  const std::uint64_t* cells;
  std::uint64_t width;
};

struct WalkTables {
  AliasCells policy;      // a row for each state
  AliasCells kernel;      // a row for each state-action pair
  std::uint64_t actions;  // of a state
};

// For each of `lanes` lanes, a multiple of 8: pair = state * actions + (an action by `first`), then
// state = (a successor of the pair by `second`). Integers only: the same on every CPU.
using WalkStep = void (*)(const WalkTables& tables, int lanes, const std::uint64_t* first,
                          const std::uint64_t* second, std::uint32_t* state, std::uint32_t* pair);

void walk_step_avx2(const WalkTables& tables, int lanes, const std::uint64_t* first,
                    const std::uint64_t* second, std::uint32_t* state, std::uint32_t* pair);
void walk_step_avx512(const WalkTables& tables, int lanes, const std::uint64_t* first,
                      const std::uint64_t* second, std::uint32_t* state, std::uint32_t* pair);

}  // namespace rgu
