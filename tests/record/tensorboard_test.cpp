// Our bytes, read back by a decoder that shares no code with the writer: a checksum bit by bit, and
// the wire format of protocol buffers from its description.
#include "rgu/record/tensorboard.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "rgu/base/crc32c.hpp"

namespace rgu {
namespace {

std::uint32_t bitwise_crc(std::string_view bytes) {
  std::uint32_t rest = ~0u;
  for (const char byte : bytes) {
    for (int bit = 0; bit < 8; ++bit) {
      const bool odd = ((rest ^ (static_cast<unsigned char>(byte) >> bit)) & 1) != 0;
      rest = (rest >> 1) ^ (odd ? 0x82f63b78u : 0u);
    }
  }
  return ~rest;
}

// Takes pieces off the front of a message; throws where it ends too early.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool done() const { return bytes_.empty(); }

  std::string_view take(std::size_t count) {
    if (count > bytes_.size()) throw std::runtime_error("the message ends too early");
    const std::string_view front = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return front;
  }
  std::uint64_t fixed(std::size_t count) {
    std::uint64_t value = 0;
    int shift = 0;
    for (const char byte : take(count)) {
      value |= std::uint64_t{static_cast<unsigned char>(byte)} << shift;
      shift += 8;
    }
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const std::uint64_t byte = fixed(1);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

 private:
  std::string_view bytes_;
};

struct Event {
  double wall_time = 0;
  std::int64_t step = 0;
  std::string version;
  std::vector<std::pair<std::string, float>> scalars;
};

std::pair<std::string, float> decoded_value(std::string_view bytes) {
  std::pair<std::string, float> value;
  for (Reader reader(bytes); !reader.done();) {
    const std::uint64_t key = reader.varint();
    if (key == (1 << 3 | 2)) {
      value.first = reader.take(reader.varint());
    } else if (key == (2 << 3 | 5)) {
      value.second = std::bit_cast<float>(static_cast<std::uint32_t>(reader.fixed(4)));
    } else {
      throw std::runtime_error("a value with an unknown field");
    }
  }
  return value;
}

Event decoded_event(std::string_view bytes) {
  Event event;
  for (Reader reader(bytes); !reader.done();) {
    const std::uint64_t key = reader.varint();
    if (key == (1 << 3 | 1)) {
      event.wall_time = std::bit_cast<double>(reader.fixed(8));
    } else if (key == (2 << 3 | 0)) {
      event.step = static_cast<std::int64_t>(reader.varint());
    } else if (key == (3 << 3 | 2)) {
      event.version = reader.take(reader.varint());
    } else if (key == (5 << 3 | 2)) {
      Reader summary(reader.take(reader.varint()));
      while (!summary.done()) {
        if (summary.varint() != (1 << 3 | 2)) throw std::runtime_error("an unknown summary");
        event.scalars.push_back(decoded_value(summary.take(summary.varint())));
      }
    } else {
      throw std::runtime_error("an event with an unknown field");
    }
  }
  return event;
}

std::uint32_t masked(std::uint32_t crc) { return std::rotr(crc, 15) + 0xa282ead8u; }

// The events of a file; throws where a checksum is wrong.
std::vector<std::string> unframed(std::string_view file) {
  std::vector<std::string> events;
  for (Reader reader(file); !reader.done();) {
    const std::string_view length = reader.take(8);
    if (reader.fixed(4) != masked(bitwise_crc(length))) throw std::runtime_error("length");
    const std::string_view event = reader.take(Reader(length).fixed(8));
    if (reader.fixed(4) != masked(bitwise_crc(event))) throw std::runtime_error("event");
    events.emplace_back(event);
  }
  return events;
}

// The check value of the catalogue of parametrised checksums, and the examples of RFC 3720, B.4.
TEST(Crc32c, MatchesThePublishedValues) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  std::string rising, falling;
  for (char i = 0; i < 32; ++i) {
    rising += i;
    falling += static_cast<char>(31 - i);
  }
  EXPECT_EQ(crc32c(rising), 0x46dd794eu);
  EXPECT_EQ(crc32c(falling), 0x113fdb5cu);
  EXPECT_EQ(crc32c(""), 0u);
}

TEST(Crc32c, AgreesWithTheBitwiseDefinition) {
  std::string bytes;
  for (int k = 0; k < 600; ++k) {
    ASSERT_EQ(crc32c(bytes), bitwise_crc(bytes)) << k;
    bytes += static_cast<char>(k * k + 7 * k);
  }
}

TEST(EventFile, BeginsWithItsVersion) {
  const std::vector<std::string> events = unframed(event_header(1700000000.25));
  ASSERT_EQ(events.size(), 1u);
  const Event event = decoded_event(events[0]);
  EXPECT_EQ(event.wall_time, 1700000000.25);
  EXPECT_EQ(event.version, "brain.Event:2");
  EXPECT_TRUE(event.scalars.empty());
}

// The whole record by hand: the length 24 = 9 + 15 in 8 bytes and its checksum, field 1 as a
// double, field 3 as 13 bytes, the checksum of both.
TEST(EventFile, HasAHeaderOfTheKnownBytes) {
  const std::string header = event_header(0);
  EXPECT_EQ(header.size(), 8 + 4 + 24 + 4u);
  EXPECT_EQ(header.substr(0, 8), std::string("\x18\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(header.substr(8, 4), "\xa3\x7f\x4b\x22");
  EXPECT_EQ(header.substr(12, 9), std::string("\x09\0\0\0\0\0\0\0\0", 9));
  EXPECT_EQ(header.substr(21, 15),
            "\x1a\x0d"
            "brain.Event:2");
}

TEST(EventFile, HoldsTheScalarsOfEveryStep) {
  const std::vector<std::pair<std::string, double>> first = {{"objective", -0.125},
                                                             {"envelope", 3.5e-20}};
  const std::string file = event_header(1) + scalar_event(2.5, 0, first) +
                           scalar_event(3.5, 1LL << 40, {{"|G_\u0398|", 1e300}});
  const std::vector<std::string> events = unframed(file);
  ASSERT_EQ(events.size(), 3u);
  const Event one = decoded_event(events[1]);
  EXPECT_EQ(one.wall_time, 2.5);
  EXPECT_EQ(one.step, 0);
  ASSERT_EQ(one.scalars.size(), 2u);
  EXPECT_EQ(one.scalars[0], std::pair(std::string("objective"), -0.125f));
  EXPECT_EQ(one.scalars[1], std::pair(std::string("envelope"), 3.5e-20f));
  const Event two = decoded_event(events[2]);
  EXPECT_EQ(two.step, std::int64_t{1} << 40);
  EXPECT_EQ(two.scalars.at(0).first, "|G_\u0398|");
  EXPECT_EQ(two.scalars.at(0).second, std::numeric_limits<float>::infinity());
}

TEST(EventFile, KeepsLongTagsNansAndEmptyLists) {
  const std::string tag(300, 'x');
  const Event event = decoded_event(unframed(scalar_event(0, 200, {{tag, std::nan("")}})).at(0));
  EXPECT_EQ(event.step, 200);
  EXPECT_EQ(event.scalars.at(0).first, tag);
  EXPECT_TRUE(std::isnan(event.scalars.at(0).second));
  EXPECT_TRUE(decoded_event(unframed(scalar_event(0, 1, {})).at(0)).scalars.empty());
}

TEST(EventFile, NoticesADamagedByte) {
  const std::string whole = scalar_event(1, 2, {{"objective", 3}});
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_THROW(unframed(damaged), std::runtime_error) << i;
  }
}

// What a command prints; empty if it cannot be run.
std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  pclose(pipe);
  return text;
}

TEST(EventFile, IsReadByTheProtocolCompiler) {
  if (output_of("protoc --version 2>/dev/null").empty()) GTEST_SKIP() << "there is no protoc";
  const std::string path = testing::TempDir() + "rgu_tensorboard_event.bin";
  const std::string event = unframed(scalar_event(1, 77, {{"objective", 2}})).at(0);
  std::ofstream(path, std::ios::binary) << event;
  const std::string text = output_of("protoc --decode_raw < '" + path + "'");
  std::remove(path.c_str());
  EXPECT_EQ(text,
            "1: 0x3ff0000000000000\n2: 77\n5 {\n  1 {\n    1: \"objective\"\n    2: 0x40000000\n"
            "  }\n}\n");
}

}  // namespace
}  // namespace rgu
