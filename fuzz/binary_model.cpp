// Models as .rgum files: parse_binary and parse_binary_slice, of the input as it is and with its
// checksums made right, without which no changed byte would come further than them. A slice is the
// same part of the whole, and what write_binary writes reads back to the same world.
#include <algorithm>
#include <cstring>
#include <string>

#include "rgu/base/crc32c.hpp"
#include "rgu/mdp/io/binary_file.hpp"
#include "rgu/mdp/io/binary_layout.hpp"
#include "same_world.hpp"
#include "support.hpp"

using namespace rgu;

namespace {

// Places of header and directory (binary_file.hpp).
constexpr std::size_t kDirectorySize = 48;
constexpr std::size_t kFileSize = 56;
constexpr std::size_t kBlockSize = 64;
constexpr std::size_t kSectionCount = 68;
constexpr std::size_t kDirectoryChecksum = 72;
constexpr std::size_t kHeaderChecksum = 76;
constexpr std::size_t kEntry = 24;

template <class Number>
Number number_at(const std::string& bytes, std::size_t place) {
  Number number;
  std::memcpy(&number, bytes.data() + place, sizeof(number));
  return number;
}

template <class Number>
void put_at(std::string& bytes, std::size_t place, Number number) {
  std::memcpy(bytes.data() + place, &number, sizeof(number));
}

std::uint32_t checksum_of(const std::string& bytes, std::size_t begin, std::size_t size) {
  return crc32c(std::string_view(bytes).substr(begin, size));
}

// Of the sections that lie where the directory says, as far as there is room for their checksums.
void mend_blocks(std::string& bytes, std::size_t directory_end) {
  const auto count = number_at<std::uint32_t>(bytes, kSectionCount);
  const std::uint64_t block = number_at<std::uint32_t>(bytes, kBlockSize);
  const std::size_t room = (directory_end - BinaryHeader::kBytes) / kEntry;
  if (block < 64 || count > room) return;
  std::uint64_t names = 0;
  for (std::size_t i = 0; i < count; ++i) {
    names += number_at<std::uint32_t>(bytes, BinaryHeader::kBytes + i * kEntry + 4);
  }
  std::uint64_t place = BinaryHeader::kBytes + count * kEntry + (names + 7) / 8 * 8;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t entry = BinaryHeader::kBytes + i * kEntry;
    const auto offset = number_at<std::uint64_t>(bytes, entry + 8);
    const auto size = number_at<std::uint64_t>(bytes, entry + 16);
    if (offset > bytes.size() || size > bytes.size() - offset) return;
    for (std::uint64_t begin = 0; begin < size; begin += block, place += 4) {
      if (place + 4 > directory_end) return;
      put_at(bytes, place, checksum_of(bytes, offset + begin, std::min(block, size - begin)));
    }
  }
}

// With the size of the file and all checksums made right.
std::string mended(std::string bytes) {
  if (bytes.size() < BinaryHeader::kBytes) return bytes;
  put_at<std::uint64_t>(bytes, kFileSize, bytes.size());
  const auto directory = number_at<std::uint64_t>(bytes, kDirectorySize);
  if (directory <= bytes.size() - BinaryHeader::kBytes) {
    mend_blocks(bytes, BinaryHeader::kBytes + directory);
    put_at(bytes, kDirectoryChecksum, checksum_of(bytes, BinaryHeader::kBytes, directory));
  }
  put_at(bytes, kHeaderChecksum, checksum_of(bytes, 0, kHeaderChecksum));
  return bytes;
}

bool same_slice(const WorldSlice& x, const WorldSlice& y) {
  return x.states == y.states && x.actions == y.actions && x.discount == y.discount &&
         x.own == y.own && x.rows.rows() == y.rows.rows() && x.rows.cols() == y.rows.cols() &&
         SparseMatrix(x.rows - y.rows).norm() == 0 && x.start == y.start && x.signals == y.signals;
}

void check_slices(const NamedText& source, const World& world) {
  const Index states = world.mdp.states();
  for (const StateRange own : {StateRange{0, states}, {0, states / 2}, {states / 2, states}}) {
    fuzz::require(same_slice(parse_binary_slice(source, own), slice_of(world, own)),
                  "a slice that is read is that of the whole");
  }
}

void try_model(std::string_view bytes) {
  const NamedText source{"input", bytes};
  const auto world = fuzz::accepted([&] { return parse_binary(source); });
  if (!world) {
    // A slice may be sound where the whole is not.
    for (const StateRange own : {StateRange{0, 1}, {1, 2}}) {
      fuzz::accepted([&] { return parse_binary_slice(source, own); });
    }
    return;
  }
  check_slices(source, *world);
  const auto path = fuzz::scratch_folder() / "model.rgum";
  write_binary(path, *world, {.block_bytes = 64});
  fuzz::require(fuzz::same_world(*world, read_binary(path)), "a written model reads back the same");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input(fuzz::text_of(data, size));
  try_model(input);
  try_model(mended(input));
  return 0;
}
