// One 64-bit lane, for any CPU. Included only by sources that are compiled for these instructions:
// it includes nothing else of the library, and its names have no linkage.
#pragma once

#include <cstdint>

namespace rgu {
namespace {

struct Word {
  static constexpr int kWidth = 1;
  std::uint64_t bits;

  static Word all(std::uint64_t value) { return {value}; }
  static Word count_from(std::uint32_t first) { return {first}; }
  static Word product(Word a, Word b) {
    return {(a.bits & 0xFFFFFFFF) * static_cast<std::uint64_t>(static_cast<std::uint32_t>(b.bits))};
  }
  static Word exclusive_or(Word a, Word b, Word c) { return {a.bits ^ b.bits ^ c.bits}; }
  static Word join(Word low, Word high) { return {(low.bits & 0xFFFFFFFF) | (high.bits << 32)}; }
  Word high() const { return {bits >> 32}; }
  void store(std::uint64_t* to) const { *to = bits; }

  static Word sum(Word a, Word b) { return {a.bits + b.bits}; }
  // Without a branch: which way it goes is random, so a branch would be mispredicted.
  static Word choose_if_less(Word a, Word b, Word yes, Word no) {
    return {no.bits ^ ((no.bits ^ yes.bits) & -static_cast<std::uint64_t>(a.bits < b.bits))};
  }
  static Word gather(const std::uint64_t* from, Word place) { return {from[place.bits]}; }
  Word masked(std::uint64_t mask) const { return {bits & mask}; }
  template <int kBits>
  Word shifted() const {
    return {bits >> kBits};
  }
  static Word load_low(const std::uint32_t* from) { return {*from}; }
  void store_low(std::uint32_t* to) const { *to = static_cast<std::uint32_t>(bits); }
};

}  // namespace
}  // namespace rgu
