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

// The random words of a draw in halves, each in the low half of its lane.
template <class Word>
struct RandomWord {
  Word low;
  Word high;
};

// AliasTable::draw of rows that start at `begin`: bits * width is the outcome above 64 bits and the
// fraction below.
template <class Word>
[[gnu::always_inline]] inline Word drawn(const AliasCells& table, Word begin,
                                         RandomWord<Word> bits) {
  const Word width = Word::all(table.width);
  const Word low = Word::product(bits.low, width);
  const Word high = Word::sum(Word::product(bits.high, width), low.high());
  const Word outcome = high.high();
  const Word cell = Word::gather(table.cells, Word::sum(begin, outcome));
  return Word::choose_if_less(Word::join(low, high).template shifted<24>(),
                              cell.template shifted<24>(), outcome,
                              cell.masked((std::uint64_t{1} << 24) - 1));
}

template <class Word>
inline void walk(const WalkTables& tables, const philox::Request& start, std::int64_t steps,
                 const std::uint32_t* state, std::uint32_t* pairs) {
  constexpr int kGroupLanes = philox::kGroupLanes<Word>;
  const philox::Keys<Word> keys(start.seed);
  philox::Request request = start;
  Word from[philox::kLanes / Word::kWidth];
  for (int j = 0; j < philox::kLanes; j += Word::kWidth) {
    from[j / Word::kWidth] = Word::load_low(state + j);
  }
  for (std::int64_t h = 0; h < steps; ++h, ++request.counter, pairs += philox::kLanes) {
    for (int lane = 0; lane < philox::kLanes; lane += kGroupLanes) {
      const philox::Blocks<Word> b = philox::group_of_blocks(request, keys, lane);
#pragma GCC unroll 4
      for (int v = 0; v < philox::kGroup; ++v) {
        const int j = lane + v * Word::kWidth;
        Word& s = from[j / Word::kWidth];
        const Word begin = Word::product(s, Word::all(tables.policy.width));
        const Word action = drawn<Word>(tables.policy, begin, {b.c0[v], b.c1[v]});
        const Word pair = Word::sum(begin, action);
        pair.store_low(pairs + j);
        s = drawn<Word>(tables.kernel, Word::product(pair, Word::all(tables.kernel.width)),
                        {b.c2[v], b.c3[v]});
      }
    }
  }
}

}  // namespace rgu
