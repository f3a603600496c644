#include "rgu/base/crc32c.hpp"

#include <array>

namespace rgu {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // bits reversed

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? kPolynomial : 0);
    table[byte] = rest;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kTable = make_table();

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t rest = 0xffffffff;
  for (const char byte : bytes) {
    rest = (rest >> 8) ^ kTable[(rest ^ static_cast<unsigned char>(byte)) & 0xff];
  }
  return rest ^ 0xffffffff;
}

}  // namespace rgu
