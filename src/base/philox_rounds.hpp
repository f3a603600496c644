// Philox4x32-10 [Salmon2011] over a vector type. Included only by the files that compile it for one
// instruction set each; it includes nothing else, so no inline function of a shared header is ever
// compiled with their flags.
#pragma once

#include <cstdint>

namespace rgu::philox {

inline constexpr int kLanes = 32;

// The blocks (trajectory + j, counter), j < kLanes, of the family (seed, stream).
struct Request {
  std::uint64_t seed;
  std::uint64_t stream;
  std::uint32_t trajectory;
  std::uint32_t counter;
};

void portable(const Request& request, std::uint64_t* first, std::uint64_t* second);
void avx2(const Request& request, std::uint64_t* first, std::uint64_t* second);
void avx512(const Request& request, std::uint64_t* first, std::uint64_t* second);

inline constexpr int kGroup = 4;    // words in flight, to hide the latency of the products
inline constexpr int kRounds = 10;  // of Philox

template <class Word>
inline constexpr int kGroupLanes = Word::kWidth* kGroup;

template <class Word>
struct Keys {
  Word first[kRounds];
  Word second[kRounds];

  explicit Keys(std::uint64_t seed) {
    auto k0 = static_cast<std::uint32_t>(seed);
    auto k1 = static_cast<std::uint32_t>(seed >> 32);
#pragma GCC unroll 10
    for (int round = 0; round < kRounds; ++round) {
      first[round] = Word::all(k0);
      second[round] = Word::all(k1);
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
  }
};

// Words of Word::kWidth 64-bit lanes. Only the low halves are the four numbers of a block: the
// product reads nothing else, and what a shift or an exclusive or leaves above is never used.
template <class Word>
struct Blocks {
  Word c0[kGroup], c1[kGroup], c2[kGroup], c3[kGroup];
};

// The blocks of kGroupLanes lanes from `lane` on.
template <class Word>
[[gnu::always_inline]] inline Blocks<Word> group_of_blocks(const Request& request,
                                                           const Keys<Word>& keys, int lane) {
  constexpr std::uint64_t kLow = 0xFFFFFFFF;
  const Word multiplier0 = Word::all(0xD2511F53);
  const Word multiplier1 = Word::all(0xCD9E8D57);
  Blocks<Word> b;
#pragma GCC unroll 4
  for (int v = 0; v < kGroup; ++v) {
    b.c0[v] = Word::all(request.counter);
    b.c1[v] = Word::count_from(request.trajectory + static_cast<std::uint32_t>(lane) +
                               static_cast<std::uint32_t>(v * Word::kWidth));
    b.c2[v] = Word::all(request.stream & kLow);
    b.c3[v] = Word::all(request.stream >> 32);
  }
#pragma GCC unroll 10
  for (int round = 0; round < kRounds; ++round) {
#pragma GCC unroll 4
    for (int v = 0; v < kGroup; ++v) {
      const Word p0 = Word::product(multiplier0, b.c0[v]);
      const Word p1 = Word::product(multiplier1, b.c2[v]);
      b.c0[v] = Word::exclusive_or(p1.high(), b.c1[v], keys.first[round]);
      b.c1[v] = p1;
      b.c2[v] = Word::exclusive_or(p0.high(), b.c3[v], keys.second[round]);
      b.c3[v] = p0;
    }
  }
  return b;
}

template <class Word>
inline void blocks(const Request& request, std::uint64_t* first, std::uint64_t* second) {
  static_assert(kLanes % kGroupLanes<Word> == 0);
  const Keys<Word> keys(request.seed);
  for (int lane = 0; lane < kLanes; lane += kGroupLanes<Word>) {
    const Blocks<Word> b = group_of_blocks(request, keys, lane);
#pragma GCC unroll 4
    for (int v = 0; v < kGroup; ++v) {
      Word::join(b.c0[v], b.c1[v]).store(first + lane + v * Word::kWidth);
      Word::join(b.c2[v], b.c3[v]).store(second + lane + v * Word::kWidth);
    }
  }
}

}  // namespace rgu::philox
