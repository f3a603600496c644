#include "rgu/record/tensorboard.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

#include "rgu/base/crc32c.hpp"

namespace rgu {
namespace {

// Field numbers of tensorflow.Event, Summary and Summary.Value.
enum : std::uint32_t { kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5 };
enum : std::uint32_t { kSummaryValue = 1 };
enum : std::uint32_t { kTag = 1, kSimpleValue = 2 };
enum WireType : std::uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

template <class T>
std::string little_endian(T value) {
  std::string bytes(sizeof(T), '\0');
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes[i] = static_cast<char>(value >> (8 * i));
  return bytes;
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

std::string key(std::uint32_t field, WireType type) { return varint(field << 3 | type); }

std::string bytes_field(std::uint32_t field, const std::string& bytes) {
  return key(field, kBytes) + varint(bytes.size()) + bytes;
}

std::string double_field(std::uint32_t field, double value) {
  return key(field, kFixed64) + little_endian(std::bit_cast<std::uint64_t>(value));
}

std::string float_field(std::uint32_t field, float value) {
  return key(field, kFixed32) + little_endian(std::bit_cast<std::uint32_t>(value));
}

// A checksum that a checksum of its own bytes does not disturb.
std::uint32_t masked(std::uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }

std::string framed(const std::string& event) {
  const std::string length = little_endian(static_cast<std::uint64_t>(event.size()));
  return length + little_endian(masked(crc32c(length))) + event +
         little_endian(masked(crc32c(event)));
}

}  // namespace

std::string event_header(double wall_time) {
  return framed(double_field(kWallTime, wall_time) + bytes_field(kFileVersion, "brain.Event:2"));
}

std::string scalar_event(double wall_time, Index step,
                         const std::vector<std::pair<std::string, double>>& scalars) {
  std::string summary;
  for (const auto& [tag, value] : scalars) {
    summary += bytes_field(kSummaryValue, bytes_field(kTag, tag) +
                                              float_field(kSimpleValue, static_cast<float>(value)));
  }
  return framed(double_field(kWallTime, wall_time) + key(kStep, kVarint) +
                varint(static_cast<std::uint64_t>(step)) + bytes_field(kSummary, summary));
}

}  // namespace rgu
