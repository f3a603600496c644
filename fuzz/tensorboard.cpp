// TensorBoard's event files: numbers and names from the input, written by event_header and
// scalar_event and read back here, by a reader that shares nothing with the writer.
#include "rgu/record/tensorboard.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#include "support.hpp"

using namespace rgu;

namespace {

using Scalars = std::vector<std::pair<std::string, double>>;

// Takes bytes off the front; zeros where there are none left.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

  bool empty() const { return bytes_.empty(); }
  std::string_view take(std::size_t count) {
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(taken.size());
    return taken;
  }
  std::uint64_t word(std::size_t count) {
    std::uint64_t value = 0;
    const std::string_view taken = take(count);
    std::memcpy(&value, taken.data(), taken.size());
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = word(1);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value;
  }

 private:
  std::string_view bytes_;
};

// CRC-32C bit by bit, and the mask of TFRecord files.
std::uint32_t masked_checksum(std::string_view bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char byte : bytes) {
    crc ^= static_cast<std::uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0x82f63b78u : 0);
  }
  crc = ~crc;
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

// The message of a record that is all of `record`.
std::string_view message_of(std::string_view record) {
  fuzz::require(record.size() >= 16, "a record has a length and two checksums");
  Bytes bytes(record);
  const std::string_view length = bytes.take(8);
  fuzz::require(bytes.word(4) == masked_checksum(length), "the checksum of the length is right");
  const std::string_view message = bytes.take(Bytes(length).word(8));
  fuzz::require(bytes.word(4) == masked_checksum(message), "the checksum of the record is right");
  fuzz::require(bytes.empty(), "a record ends where its length says");
  return message;
}

void require_key(Bytes& bytes, std::uint64_t field, std::uint64_t type) {
  fuzz::require(bytes.varint() == (field << 3 | type), "the fields are in their order");
}

void require_scalar(Bytes value, const std::string& name, double number) {
  require_key(value, 1, 2);
  fuzz::require(value.take(value.varint()) == name, "a name is kept");
  require_key(value, 2, 5);
  const auto bits = static_cast<std::uint32_t>(value.word(4));
  const auto kept = std::bit_cast<float>(bits);
  fuzz::require(kept == static_cast<float>(number) || std::isnan(number), "a number is kept");
  fuzz::require(value.empty(), "a scalar has two fields");
}

void require_event(std::string_view message, double wall_time, Index step, const Scalars& scalars) {
  Bytes event(message);
  require_key(event, 1, 1);
  fuzz::require(event.word(8) == std::bit_cast<std::uint64_t>(wall_time), "the time is kept");
  require_key(event, 2, 0);
  fuzz::require(event.varint() == static_cast<std::uint64_t>(step), "the step is kept");
  require_key(event, 5, 2);
  Bytes summary(event.take(event.varint()));
  for (const auto& [name, number] : scalars) {
    require_key(summary, 1, 2);
    require_scalar(Bytes(summary.take(summary.varint())), name, number);
  }
  fuzz::require(summary.empty() && event.empty(), "nothing else is written");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes input(fuzz::text_of(data, size));
  const auto wall_time = std::bit_cast<double>(input.word(8));
  const auto step = static_cast<Index>(input.word(8));
  Scalars scalars;
  while (!input.empty()) {
    const std::string name(input.take(input.word(1)));
    scalars.emplace_back(name, std::bit_cast<double>(input.word(8)));
  }
  message_of(event_header(wall_time));
  require_event(message_of(scalar_event(wall_time, step, scalars)), wall_time, step, scalars);
  return 0;
}
