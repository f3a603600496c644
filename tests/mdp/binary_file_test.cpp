#include "rgu/mdp/io/binary_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "mdp/file_testing.hpp"
#include "mdp/same_slice.hpp"
#include "rgu/base/crc32c.hpp"
#include "rgu/mdp/generators.hpp"
#include "rgu/mdp/io/world_file.hpp"

namespace rgu {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr BinaryOptions kSmallBlocks{.block_bytes = 64};

std::string bytes_of(const World& world, const BinaryOptions& options = {}) {
  const TemporaryFolder folder;
  write_binary(folder / "m.rgum", world, options);
  return contents(folder / "m.rgum");
}

World parsed(const std::string& bytes, const ReadOptions& options = {}) {
  return parse_binary({.file = "m.rgum", .text = bytes}, options);
}

std::string message_of(const std::string& bytes) {
  return thrown_by([&] { parsed(bytes); });
}

World grid() { return grid_world("S.a#\n.H.b\nS#.G\n", {.slip = 0.3}); }

World dense() {
  Rng rng(1);
  return random_model({.states = 5, .actions = 3}, rng);
}

// Two states, one action; entries of probability 0 that are stored, -0.0 among them, and signals
// with the ends of the range of doubles.
World extreme() {
  SparseMatrix kernel(2, 2);
  kernel.insert(0, 0) = 1;
  kernel.insert(0, 1) = -0.0;
  kernel.insert(1, 0) = std::numeric_limits<double>::denorm_min();
  kernel.insert(1, 1) = 1;
  Matrix ends(2, 1), zeros(2, 1);
  ends << std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest();
  zeros << -0.0, std::numeric_limits<double>::denorm_min();
  Vector start(2);
  start << 1, 0;
  return World{.mdp = FiniteMdp(kernel, start, std::nextafter(1.0, 0.0)),
               .signals = {{"", ends}, {std::string("\0\xff\n", 3), zeros}, {"ends", ends}}};
}

TEST(BinaryFile, GivesBackTheSameWorld) {
  for (const World& world : {grid(), dense(), extreme(), river_swim(), inventory()}) {
    for (const std::uint32_t block : {64u, 128u, 1u << 20}) {
      expect_same_world(parsed(bytes_of(world, {.block_bytes = block})), world);
    }
  }
}

TEST(BinaryFile, KeepsStoredZerosAndSigns) {
  const World back = parsed(bytes_of(extreme()));
  EXPECT_EQ(back.mdp.sparse_kernel().nonZeros(), 4);
  EXPECT_TRUE(std::signbit(back.mdp.sparse_kernel().coeff(0, 1)));
  EXPECT_TRUE(std::signbit(back.signals.at(std::string("\0\xff\n", 3))(0, 0)));
}

TEST(BinaryFile, ReadsWhatItWrote) {
  const TemporaryFolder folder;
  write_world(folder / "m.rgum", grid());
  expect_same_world(read_world(folder / "m.rgum"), grid());
  EXPECT_EQ(model_size_of(folder / "m.rgum"), (ModelSize{10, 4}));
  EXPECT_EQ(bytes_of(grid()), contents(folder / "m.rgum"));
}

TEST(BinaryFile, TakesDiscountAndStartFromTheOptions) {
  const TemporaryFolder folder;
  write_world(folder / "m.rgum", river_swim());
  const ReadOptions options{.discount = 0.5, .start = Vector::Unit(6, 3)};
  const World world = read_world(folder / "m.rgum", options);
  EXPECT_EQ(world.mdp.discount(), 0.5);
  EXPECT_EQ(world.mdp.start(), Vector::Unit(6, 3));
  expect_same_slice(read_world_slice(folder / "m.rgum", {2, 5}, options), slice_of(world, {2, 5}));
  EXPECT_THAT(thrown_by([&] { read_world(folder / "m.rgum", {.discount = 1}); }),
              AllOf(HasSubstr("m.rgum: "), HasSubstr("discount is 1")));
  EXPECT_THAT(thrown_by([&] {
                read_world_slice(folder / "m.rgum", {0, 1}, {.start = Vector::Ones(1)});
              }),
              AllOf(HasSubstr("m.rgum: "), HasSubstr("start")));
}

// The documented places of the header, for the chain of six states.
TEST(BinaryFile, HasTheDocumentedBytes) {
  const std::string bytes = bytes_of(river_swim());
  const auto number = [&]<class Number>(std::size_t at, Number value) {
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    return value;
  };
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x89RGUM\r\n\x1a", 8));
  EXPECT_EQ(bytes.substr(8, 4), "\x0d\x0c\x0b\x0a");
  EXPECT_EQ(number(12, std::uint32_t{}), 1u);
  EXPECT_EQ(number(16, std::uint64_t{}), 6u);
  EXPECT_EQ(number(24, std::uint64_t{}), 2u);
  EXPECT_EQ(number(32, std::uint64_t{}), 22u);
  EXPECT_EQ(number(40, double{}), 0.95);
  EXPECT_EQ(number(56, std::uint64_t{}), bytes.size());
  EXPECT_EQ(number(64, std::uint32_t{}), 1u << 20);
  EXPECT_EQ(number(68, std::uint32_t{}), 5u);
  // 5 entries, the name "reward" padded, 5 checksums padded.
  EXPECT_EQ(number(48, std::uint64_t{}), 5u * 24 + 8 + 24);
  EXPECT_EQ(number(76, std::uint32_t{}), crc32c(std::string_view(bytes).substr(0, 76)));
  const std::size_t sections = 80 + 5 * 24 + 8 + 24;
  EXPECT_EQ(number(sections + 8, double{}), 0.5);  // start of state 1
  EXPECT_EQ(bytes.size(), sections + 6 * 8 + 13 * 8 + 22 * 8 + 12 * 8 + 22 * 4);
}

TEST(BinaryFile, HasAChecksumThatTellsWorldsApart) {
  const TemporaryFolder folder;
  World world = grid();
  write_binary(folder / "one.rgum", world);
  write_binary(folder / "same.rgum", world);
  world.signals.at("a")(9, 3) = 1e-300;
  write_binary(folder / "other.rgum", world);
  EXPECT_EQ(binary_checksum(folder / "one.rgum"), binary_checksum(folder / "same.rgum"));
  EXPECT_NE(binary_checksum(folder / "one.rgum"), binary_checksum(folder / "other.rgum"));
}

TEST(BinaryFile, DetectsEveryDamagedByte) {
  for (const World& world : {grid_world("Sa\n.G"), dense()}) {
    const std::string bytes = bytes_of(world, kSmallBlocks);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      for (const int flip : {0x01, 0x80, 0xff}) {
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ flip);
        EXPECT_THAT(message_of(damaged), HasSubstr("m.rgum: ")) << "byte " << i;
      }
    }
  }
}

TEST(BinaryFile, DetectsEveryCutAndWhatIsAdded) {
  const std::string bytes = bytes_of(grid(), kSmallBlocks);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THAT(message_of(bytes.substr(0, size)), HasSubstr("m.rgum: ")) << size;
  }
  EXPECT_THAT(message_of(bytes + '\0'), HasSubstr("cut or has grown"));
}

// Files with a number changed and all checksums made right again, so that it is the number that
// must be found wrong.
class Forged {
 public:
  explicit Forged(const World& world) : bytes_(bytes_of(world, kSmallBlocks)) {}

  template <class Number>
  Forged& put(std::size_t at, Number number) {
    std::memcpy(bytes_.data() + at, &number, sizeof(number));
    return *this;
  }

  // Of section `index`, number `number`.
  template <class Number>
  Forged& put_in(std::size_t index, std::size_t number, Number value) {
    const auto offset = at<std::uint64_t>(80 + 24 * index + 8);
    return put(offset + number * sizeof(Number), value);
  }

  std::string whole() {
    seal_sections();
    put(72, crc32c(std::string_view(bytes_).substr(80, at<std::uint64_t>(48))));
    put(76, crc32c(std::string_view(bytes_).substr(0, 76)));
    return bytes_;
  }

 private:
  template <class Number>
  Number at(std::size_t place) const {
    Number number;
    std::memcpy(&number, bytes_.data() + place, sizeof(number));
    return number;
  }

  // Where the entries of the directory are sound, the checksums of all blocks.
  void seal_sections() {
    const auto sections = at<std::uint32_t>(68);
    if (sections > 20 || at<std::uint64_t>(48) > bytes_.size() - 80) return;
    std::size_t names = 0;
    for (std::size_t i = 0; i < sections; ++i) names += at<std::uint32_t>(80 + 24 * i + 4);
    if (names > at<std::uint64_t>(48)) return;
    std::size_t place = 80 + 24 * sections + (names + 7) / 8 * 8;
    for (std::size_t i = 0; i < sections; ++i) {
      const auto offset = at<std::uint64_t>(80 + 24 * i + 8);
      const auto size = at<std::uint64_t>(80 + 24 * i + 16);
      if (offset > bytes_.size() || size > bytes_.size() - offset) return;
      for (std::size_t begin = 0; begin < size; begin += 64, place += 4) {
        const std::size_t length = std::min<std::size_t>(64, size - begin);
        put(place, crc32c(std::string_view(bytes_).substr(offset + begin, length)));
      }
    }
  }

  std::string bytes_;
};

// Sections of the grid: 0 start, 1 row offsets, 2 probabilities, 3 .. 7 signals a, b, goal, hazard,
// reward, 8 columns, 9 grid.
TEST(BinaryFile, ForgingNothingGivesAGoodFile) {
  expect_same_world(parsed(Forged(grid()).whole()), grid());
}

struct Forgery {
  const char* says;
  std::function<void(Forged&)> change;
};

TEST(BinaryFile, RefusesHostileHeaders) {
  constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();
  const std::vector<Forgery> forgeries = {
      {"no .rgum model file", [](Forged& f) { f.put(0, 'x'); }},
      {"byte order", [](Forged& f) { f.put(8, 0x0d0c0b0au); }},
      {"version is 2", [](Forged& f) { f.put(12, 2u); }},
      {"0 states", [](Forged& f) { f.put(16, std::uint64_t{0}); }},
      {"states", [](Forged& f) { f.put(16, kHuge); }},
      {"section start has 80 bytes", [](Forged& f) { f.put(16, std::uint64_t{1} << 32); }},
      {"section start has 80 bytes", [](Forged& f) { f.put(16, std::uint64_t{9}); }},
      {"0 actions", [](Forged& f) { f.put(24, std::uint64_t{0}); }},
      {"actions", [](Forged& f) { f.put(24, kHuge); }},
      {"section row offsets", [](Forged& f) { f.put(24, std::uint64_t{1} << 32); }},
      {"section probabilities", [](Forged& f) { f.put(32, kHuge); }},
      {"section probabilities", [](Forged& f) { f.put(32, std::uint64_t{1} << 61); }},
      {"discount is 1", [](Forged& f) { f.put(40, 1.0); }},
      {"discount is nan", [](Forged& f) { f.put(40, std::nan("")); }},
      {"directory of", [](Forged& f) { f.put(48, kHuge); }},
      {"cut or has grown", [](Forged& f) { f.put(56, kHuge); }},
      {"block size is 0", [](Forged& f) { f.put(64, 0u); }},
      {"block size is 63", [](Forged& f) { f.put(64, 63u); }},
      {"block size is 4294967295", [](Forged& f) { f.put(64, 0xffffffffu); }},
      {"checksums", [](Forged& f) { f.put(64, 128u); }},
      {"4294967295 sections", [](Forged& f) { f.put(68, 0xffffffffu); }},
  };
  for (const Forgery& forgery : forgeries) {
    Forged file(grid());
    forgery.change(file);
    EXPECT_THAT(message_of(file.whole()), AllOf(HasSubstr("m.rgum: "), HasSubstr(forgery.says)));
  }
}

TEST(BinaryFile, RefusesHostileDirectories) {
  constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();
  const auto entry = [](std::size_t section) { return 80 + 24 * section; };
  const std::vector<Forgery> forgeries = {
      {"kind 0", [&](Forged& f) { f.put(entry(0), 0u); }},
      {"kind 7", [&](Forged& f) { f.put(entry(9), 7u); }},
      {"out of order", [&](Forged& f) { f.put(entry(1), 1u); }},
      {"out of order", [&](Forged& f) { f.put(entry(8), 6u); }},
      {"begins at", [&](Forged& f) { f.put(entry(0) + 8, kHuge); }},
      {"begins at", [&](Forged& f) { f.put(entry(2) + 8, std::uint64_t{80}); }},
      {"more than the file", [&](Forged& f) { f.put(entry(2) + 16, kHuge); }},
      {"do not ask for", [&](Forged& f) { f.put(entry(0) + 16, std::uint64_t{72}); }},
      {"name of section 3", [&](Forged& f) { f.put(entry(3) + 4, 0xffffffffu); }},
      {"has a name", [&](Forged& f) { f.put(entry(0) + 4, 1u).put(entry(3) + 4, 0u); }},
      {"start is missing",
       [&](Forged& f) { f.put(entry(0), 2u).put(entry(1), 3u).put(entry(2), 4u); }},
  };
  for (const Forgery& forgery : forgeries) {
    Forged file(grid());
    forgery.change(file);
    EXPECT_THAT(message_of(file.whole()), AllOf(HasSubstr("m.rgum: "), HasSubstr(forgery.says)));
  }
}

TEST(BinaryFile, RefusesNumbersThatMakeNoModel) {
  const std::vector<Forgery> forgeries = {
      {"start distribution sums to", [](Forged& f) { f.put_in(0, 0, 0.25); }},
      {"start probability s=1 is -1", [](Forged& f) { f.put_in(0, 1, -1.0); }},
      {"row offsets", [](Forged& f) { f.put_in(1, 0, std::uint64_t{1}); }},
      {"row offsets", [](Forged& f) { f.put_in(1, 1, ~std::uint64_t{0}); }},
      {"row offsets", [](Forged& f) { f.put_in(1, 40, std::uint64_t{3}); }},
      {"row offsets", [](Forged& f) { f.put_in(1, 5, std::uint64_t{2}); }},
      {"sums to", [](Forged& f) { f.put_in(2, 0, 0.125); }},
      {"is nan", [](Forged& f) { f.put_in(2, 0, std::nan("")); }},
      {"is inf", [](Forged& f) { f.put_in(2, 0, std::numeric_limits<double>::infinity()); }},
      {"signal 'a'", [](Forged& f) { f.put_in(3, 7, std::nan("")); }},
      {"next state 10", [](Forged& f) { f.put_in(8, 1, 10u); }},
      {"next state 4294967295", [](Forged& f) { f.put_in(8, 0, 0xffffffffu); }},
      {"next state 0 after 0", [](Forged& f) { f.put_in(8, 1, 0u); }},
      {"grid is 0 x 4", [](Forged& f) { f.put_in(9, 0, 0u); }},
      {"grid is 4294967295 x 4", [](Forged& f) { f.put_in(9, 0, 0xffffffffu); }},
      {"grid cell of state 0", [](Forged& f) { f.put_in(9, 2, 12u); }},
      {"two states", [](Forged& f) { f.put_in(9, 2, 1u); }},
  };
  for (const Forgery& forgery : forgeries) {
    Forged file(grid());
    forgery.change(file);
    EXPECT_THAT(message_of(file.whole()), AllOf(HasSubstr("m.rgum: "), HasSubstr(forgery.says)));
  }
}

TEST(BinaryFile, ReadsSlicesOfEveryPartition) {
  const TemporaryFolder folder;
  for (const World& world : {grid(), dense(), extreme(), inventory()}) {
    write_binary(folder / "m.rgum", world, kSmallBlocks);
    for (const StateRange& own : partition_ranges(world.mdp.states())) {
      SCOPED_TRACE(testing::Message() << own.first << " .. " << own.last);
      expect_same_slice(read_binary_slice(folder / "m.rgum", own), slice_of(world, own));
    }
  }
}

TEST(BinaryFile, ReadsSlicesOfOtherFormatsFromTheWhole) {
  const TemporaryFolder folder;
  for (const char* name : {"m.json", "m.csv", "m.tra"}) {
    write_world(folder / name, river_swim());
    const ReadOptions options{.discount = 0.5};
    EXPECT_EQ(model_size_of(folder / name, options), (ModelSize{6, 2}));
    expect_same_slice(read_world_slice(folder / name, {2, 5}, options),
                      slice_of(read_world(folder / name, options), {2, 5}));
  }
}

TEST(BinaryFile, RefusesRangesOutsideTheStates) {
  const TemporaryFolder folder;
  write_world(folder / "m.rgum", river_swim());
  for (const StateRange& own : {StateRange{-1, 2}, {3, 2}, {0, 7}}) {
    EXPECT_THAT(thrown_by([&] { read_world_slice(folder / "m.rgum", own); }),
                AllOf(HasSubstr("m.rgum: "), HasSubstr("range of states")));
  }
}

// Damage in the last bytes of each section but the grid belongs to the last state.
TEST(BinaryFile, ASliceSeesDamageInItsOwnBlocksOnly) {
  const World world = river_swim({.states = 200});
  const std::string bytes = bytes_of(world, kSmallBlocks);
  const auto slice = [](const std::string& text, const StateRange& own) {
    return parse_binary_slice({.file = "m.rgum", .text = text}, own);
  };
  for (std::size_t section = 0; section < 5; ++section) {
    std::uint64_t offset = 0, size = 0;
    std::memcpy(&offset, bytes.data() + 80 + 24 * section + 8, 8);
    std::memcpy(&size, bytes.data() + 80 + 24 * section + 16, 8);
    std::string damaged = bytes;
    damaged[offset + size - 1] = static_cast<char>(damaged[offset + size - 1] ^ 1);
    expect_same_slice(slice(damaged, {0, 100}), slice_of(world, {0, 100}));
    EXPECT_THAT(thrown_by([&] { slice(damaged, {100, 200}); }), HasSubstr("checksum"));
    EXPECT_THAT(message_of(damaged), HasSubstr("checksum"));
  }
}

TEST(BinaryFile, ASliceChecksItsRows) {
  const std::string bytes = Forged(grid()).put_in(2, 0, 0.125).whole();
  const auto slice = [&](const StateRange& own) {
    return parse_binary_slice({.file = "m.rgum", .text = bytes}, own);
  };
  EXPECT_THAT(thrown_by([&] {
                slice({0, 3});
              }),
              AllOf(HasSubstr("m.rgum: "), HasSubstr("transition row s=0 a=0 sums to")));
  EXPECT_EQ(slice({3, 10}).own, (StateRange{3, 10}));
}

TEST(BinaryFile, RefusesToWriteWhatItCouldNotRead) {
  const TemporaryFolder folder;
  const auto message = [&](const World& world, const BinaryOptions& options = {}) {
    return thrown_by([&] { write_binary(folder / "m.rgum", world, options); });
  };
  World world = river_swim();
  EXPECT_THAT(message(world, {.block_bytes = 100}), HasSubstr("block size is 100"));
  world.signals["short"] = Matrix::Zero(1, 1);
  EXPECT_THAT(message(world), HasSubstr("short"));
  world.signals = {};
  world.grid = GridLayout{.rows = 1, .columns = 1, .cell_of_state = {0}};
  EXPECT_THAT(message(world), HasSubstr("grid"));
  EXPECT_TRUE(folder.names().empty());
}

TEST(BinaryFile, RefusesToReadWhatIsNotARegularFile) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "folder.rgum");
  put(folder / "empty.rgum", "");
  EXPECT_THAT(thrown_by([&] { read_binary(folder / "none.rgum"); }), HasSubstr("no such file"));
  EXPECT_THAT(thrown_by([&] { read_binary(folder / "folder.rgum"); }),
              HasSubstr("not a regular file"));
  EXPECT_THAT(thrown_by([&] { binary_size(folder / "empty.rgum"); }),
              AllOf(HasSubstr("empty.rgum"), HasSubstr("it has 0 bytes")));
}

}  // namespace
}  // namespace rgu
