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

// Word: a vector of Word::kWidth 64-bit lanes. Only the low halves carry the state: the product
// reads nothing else, and what a shift or an exclusive or leaves above is masked away at the end.
template <class Word>
inline void blocks(const Request& request, std::uint64_t* first, std::uint64_t* second) {
  constexpr std::uint64_t kLow = 0xFFFFFFFF;
  constexpr int kGroup = 4;  // words in flight, to hide the latency of the products
  static_assert(kLanes % (kGroup * Word::kWidth) == 0);
  const Word multiplier0 = Word::all(0xD2511F53);
  const Word multiplier1 = Word::all(0xCD9E8D57);
  for (int lane = 0; lane < kLanes; lane += kGroup * Word::kWidth) {
    Word c0[kGroup], c1[kGroup], c2[kGroup], c3[kGroup];
#pragma GCC unroll 4
    for (int v = 0; v < kGroup; ++v) {
      c0[v] = Word::all(request.counter);
      c1[v] = Word::count_from(request.trajectory + static_cast<std::uint32_t>(lane) +
                               static_cast<std::uint32_t>(v * Word::kWidth));
      c2[v] = Word::all(request.stream & kLow);
      c3[v] = Word::all(request.stream >> 32);
    }
    auto k0 = static_cast<std::uint32_t>(request.seed);
    auto k1 = static_cast<std::uint32_t>(request.seed >> 32);
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
      const Word key0 = Word::all(k0);
      const Word key1 = Word::all(k1);
#pragma GCC unroll 4
      for (int v = 0; v < kGroup; ++v) {
        const Word p0 = Word::product(multiplier0, c0[v]);
        const Word p1 = Word::product(multiplier1, c2[v]);
        c0[v] = Word::exclusive_or(p1.high(), c1[v], key0);
        c1[v] = p1;
        c2[v] = Word::exclusive_or(p0.high(), c3[v], key1);
        c3[v] = p0;
      }
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
#pragma GCC unroll 4
    for (int v = 0; v < kGroup; ++v) {
      Word::join(c0[v], c1[v]).store(first + lane + v * Word::kWidth);
      Word::join(c2[v], c3[v]).store(second + lane + v * Word::kWidth);
    }
  }
}

}  // namespace rgu::philox
