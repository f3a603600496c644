// Walks of all lanes of a sampler at once, if rows of both tables have equal numbers of outcomes.
// Included by files that are compiled for other instruction sets: it includes nothing that has
// inline code.
#pragma once

#include <cstdint>

#include "rgu/base/philox_rounds.hpp"

namespace rgu {

// The cells of an AliasTable, each row `width` of them: threshold (40 bits) and alias (24 bits).
struct AliasCells {
  const std::uint64_t* cells;
  std::uint64_t width;
};

struct WalkTables {
  AliasCells policy;  // a row for each state, one outcome per action
  AliasCells kernel;  // a row for each state-action pair
};

// From `state` of every lane, step h: pairs[h * philox::kLanes + lane] = state * actions + (an
// action by the first word of the block of `start` with counter + h), then state = (a successor of
// the pair by the second word). Integers only: the same on every CPU.
using Walk = void (*)(const WalkTables& tables, const philox::Request& start, std::int64_t steps,
                      const std::uint32_t* state, std::uint32_t* pairs);

void walk_portable(const WalkTables& tables, const philox::Request& start, std::int64_t steps,
                   const std::uint32_t* state, std::uint32_t* pairs);
void walk_avx2(const WalkTables& tables, const philox::Request& start, std::int64_t steps,
               const std::uint32_t* state, std::uint32_t* pairs);
void walk_avx512(const WalkTables& tables, const philox::Request& start, std::int64_t steps,
                 const std::uint32_t* state, std::uint32_t* pairs);

// A group of words in flight.
template <class Word>
using Group = Word[philox::kGroup];

// AliasTable::draw of rows that start at `begin`, by random words in halves: bits * width is the
// outcome above 64 bits and the fraction below. Each stage for the whole group at once, so that
// the waits for memory and for products overlap.
template <class Word>
[[gnu::always_inline]] inline void draw(const AliasCells& table, const Group<Word>& begin,
                                        const Group<Word>& low_bits, const Group<Word>& high_bits,
                                        Group<Word>& drawn) {
  const Word width = Word::all(table.width);
  Group<Word> fraction, outcome, cell;
#pragma GCC unroll 4
  for (int v = 0; v < philox::kGroup; ++v) {
    const Word low = Word::product(low_bits[v], width);
    const Word high = Word::sum(Word::product(high_bits[v], width), low.high());
    fraction[v] = Word::join(low, high).template shifted<24>();
    outcome[v] = high.high();
  }
#pragma GCC unroll 4
  for (int v = 0; v < philox::kGroup; ++v) {
    cell[v] = Word::gather(table.cells, Word::sum(begin[v], outcome[v]));
  }
#pragma GCC unroll 4
  for (int v = 0; v < philox::kGroup; ++v) {
    drawn[v] = Word::choose_if_less(fraction[v], cell[v].template shifted<24>(), outcome[v],
                                    cell[v].masked((std::uint64_t{1} << 24) - 1));
  }
}

template <class Word>
inline void walk(const WalkTables& tables, const philox::Request& start, std::int64_t steps,
                 const std::uint32_t* state, std::uint32_t* pairs) {
  constexpr int kGroupLanes = philox::kGroupLanes<Word>;
  constexpr int kGroups = philox::kLanes / kGroupLanes;
  const philox::Keys<Word> keys(start.seed);
  const Word actions = Word::all(tables.policy.width);
  const Word successors = Word::all(tables.kernel.width);
  philox::Request request = start;
  Group<Word> from[kGroups];
  for (int j = 0; j < philox::kLanes; j += Word::kWidth) {
    from[j / kGroupLanes][j / Word::kWidth % philox::kGroup] = Word::load_low(state + j);
  }
  for (std::int64_t h = 0; h < steps; ++h, ++request.counter) {
    for (int g = 0; g < kGroups; ++g, pairs += kGroupLanes) {
      const philox::Blocks<Word> b = philox::group_of_blocks(request, keys, g * kGroupLanes);
      Group<Word> begin, pair;
#pragma GCC unroll 4
      for (int v = 0; v < philox::kGroup; ++v) begin[v] = Word::product(from[g][v], actions);
      draw<Word>(tables.policy, begin, b.c0, b.c1, pair);
#pragma GCC unroll 4
      for (int v = 0; v < philox::kGroup; ++v) {
        pair[v] = Word::sum(begin[v], pair[v]);
        pair[v].store_low(pairs + v * Word::kWidth);
        begin[v] = Word::product(pair[v], successors);
      }
      draw<Word>(tables.kernel, begin, b.c2, b.c3, from[g]);
    }
  }
}

}  // namespace rgu
