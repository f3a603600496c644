#include "rgu/llm/text/protobuf.hpp"

#include <bit>

#include "rgu/base/check.hpp"

namespace rgu::llm {

std::string_view ProtobufField::text(std::string_view what) const {
  check(wire == Wire::kBytes, "{} has wire type {}, must be 2", what, static_cast<int>(wire));
  return bytes;
}

std::int64_t ProtobufField::integer(std::string_view what) const {
  check(wire == Wire::kVarint, "{} has wire type {}, must be 0", what, static_cast<int>(wire));
  return static_cast<std::int64_t>(value);
}

float ProtobufField::number32(std::string_view what) const {
  check(wire == Wire::kFixed32, "{} has wire type {}, must be 5", what, static_cast<int>(wire));
  return std::bit_cast<float>(static_cast<std::uint32_t>(value));
}

void ProtobufReader::refuse(std::string_view what) const {
  throw InvalidInput(
      fmt::format("{}: byte {} of a message of {} bytes: {}", file_, at_, message_.size(), what));
}

std::uint64_t ProtobufReader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (at_ == message_.size()) refuse("the message ends inside a number");
    const auto byte = static_cast<std::uint8_t>(message_[at_++]);
    value |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return value;
  }
  refuse("a number has more than 10 bytes");
}

std::string_view ProtobufReader::take(std::uint64_t bytes) {
  if (bytes > message_.size() - at_) {
    refuse(fmt::format("a field of {} bytes passes the end", bytes));
  }
  const std::string_view taken = message_.substr(at_, static_cast<std::size_t>(bytes));
  at_ += taken.size();
  return taken;
}

std::uint64_t ProtobufReader::fixed(std::size_t bytes) {
  std::uint64_t value = 0;
  unsigned shift = 0;
  for (const char byte : take(bytes)) {
    value |= std::uint64_t{static_cast<std::uint8_t>(byte)} << shift;
    shift += 8;
  }
  return value;
}

std::optional<ProtobufField> ProtobufReader::next() {
  if (at_ == message_.size()) return {};
  const std::uint64_t tag = varint();
  if (tag >> 3 == 0 || tag >> 3 >= (1u << 29)) refuse(fmt::format("field number {}", tag >> 3));
  ProtobufField field{.number = static_cast<std::uint32_t>(tag >> 3)};
  field.wire = static_cast<ProtobufField::Wire>(tag & 7);
  switch (field.wire) {
    case ProtobufField::Wire::kVarint:
      field.value = varint();
      break;
    case ProtobufField::Wire::kFixed64:
      field.value = fixed(8);
      break;
    case ProtobufField::Wire::kBytes:
      field.bytes = take(varint());
      break;
    case ProtobufField::Wire::kFixed32:
      field.value = fixed(4);
      break;
    default:
      refuse(fmt::format("wire type {}, must be 0, 1, 2 or 5", tag & 7));
  }
  return field;
}

}  // namespace rgu::llm
