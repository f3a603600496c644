#include "rgu/base/philox_rounds.hpp"

namespace rgu::philox {
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
};

}  // namespace

void portable(const Request& request, std::uint64_t* first, std::uint64_t* second) {
  blocks<Word>(request, first, second);
}

}  // namespace rgu::philox
