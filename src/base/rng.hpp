// Random numbers without hidden state. Every draw is a pure function of (seed, stream, position),
// by the counter-based generator Philox4x32-10 [Salmon2011] of the Random123 library, so a result
// never depends on how work was divided among threads.
#pragma once

#include <array>
#include <cstdint>

#include "rgu/base/types.hpp"

namespace rgu {

// One Philox block: 128 random bits as two words. `counter` numbers the blocks of one trajectory.
using RandomBlock = std::array<std::uint64_t, 2>;

// A family of independent streams, one per trajectory: the block at (trajectory, counter) depends
// on nothing else.
struct StreamFamily {
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;

  RandomBlock block(std::uint32_t trajectory, std::uint32_t counter) const;
};

// Sequential draws from one stream. Copying an Rng copies its position: both copies then draw the
// same numbers.
class Rng {
 public:
  // All there is to know of a generator; what a checkpoint stores.
  struct State {
    std::uint64_t seed = 0;
    std::uint64_t stream = 0;
    std::uint64_t position = 0;  // words drawn so far
    bool operator==(const State&) const = default;
  };

  explicit Rng(std::uint64_t seed, std::uint64_t stream = 0) : state_{seed, stream, 0} {}
  explicit Rng(const State& state) : state_(state) {}
  // The stream of one trajectory, < 2^31, of a family: its blocks (trajectory, 0), (trajectory, 1),
  // .. one after the other. Streams of 2^32 blocks each, none of which another trajectory has.
  Rng(const StreamFamily& family, std::uint32_t trajectory)
      : state_{family.seed, family.stream, std::uint64_t{trajectory} << 33} {}

  const State& state() const { return state_; }

  std::uint64_t bits();                      // 64 random bits
  double uniform();                          // in [0, 1), 53 random bits
  double uniform(double low, double high);   // in [low, high)
  std::uint64_t below(std::uint64_t bound);  // uniform on 0 .. bound - 1, exactly
  double normal();                           // standard normal, Box-Muller, two words a draw
  double exponential();                      // rate 1

  // A family of streams of its own, named by the next word of this stream.
  StreamFamily fork() { return {state_.seed, bits()}; }

 private:
  State state_;
  RandomBlock block_{};
  std::uint64_t block_number_ = ~std::uint64_t{0};
};

Vector normal_vector(Index size, Rng& rng);
Vector uniform_vector(Index size, Rng& rng);

}  // namespace rgu
