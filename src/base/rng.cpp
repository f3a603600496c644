#include "rgu/base/rng.hpp"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>

namespace rgu {
namespace {

RandomBlock philox_block(std::uint64_t seed, std::uint64_t stream, std::uint32_t high,
                         std::uint32_t low) {
  const r123::Philox4x32::ctr_type counter = {
      {low, high, static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)}};
  const r123::Philox4x32::key_type key = {
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
  const r123::Philox4x32::ctr_type r = r123::Philox4x32()(counter, key);
  return {r[0] | (static_cast<std::uint64_t>(r[1]) << 32),
          r[2] | (static_cast<std::uint64_t>(r[3]) << 32)};
}

}  // namespace

RandomBlock StreamFamily::block(std::uint32_t trajectory, std::uint32_t counter) const {
  return philox_block(seed, stream, trajectory, counter);
}

std::uint64_t Rng::bits() {
  const std::uint64_t number = state_.position / 2;
  if (number != block_number_) {
    block_ = philox_block(state_.seed, state_.stream, static_cast<std::uint32_t>(number >> 32),
                          static_cast<std::uint32_t>(number));
    block_number_ = number;
  }
  return block_[state_.position++ % 2];
}

double Rng::uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

double Rng::uniform(double low, double high) { return low + (high - low) * uniform(); }

std::uint64_t Rng::below(std::uint64_t bound) {
  // Lemire's method: the high half of bits * bound, redrawn in the rare biased zone.
  for (;;) {
    const Uint128 product = static_cast<Uint128>(bits()) * bound;
    if (static_cast<std::uint64_t>(product) >= (-bound) % bound) {
      return static_cast<std::uint64_t>(product >> 64);
    }
  }
}

double Rng::normal() {
  const double radius = std::sqrt(2.0 * exponential());
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

double Rng::exponential() { return -std::log1p(-uniform()); }

Vector normal_vector(Index size, Rng& rng) {
  Vector draws(size);
  for (double& x : draws) x = rng.normal();
  return draws;
}

Vector uniform_vector(Index size, Rng& rng) {
  Vector draws(size);
  for (double& x : draws) x = rng.uniform();
  return draws;
}

}  // namespace rgu
