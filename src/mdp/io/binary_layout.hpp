// Header and directory of a .rgum file (binary_file.hpp): what lies where, and its checksums.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "rgu/mdp/io/byte_source.hpp"

namespace rgu {

static_assert(std::endian::native == std::endian::little,
              "numbers go between memory and .rgum files byte by byte");

enum class SectionKind : std::uint32_t {
  kStart = 1,
  kRowOffsets = 2,
  kProbabilities = 3,
  kSignal = 4,
  kColumns = 5,
  kGrid = 6,
};

struct BinarySection {
  SectionKind kind = SectionKind::kStart;
  std::string name = {};                      // of a signal
  std::uint64_t offset = 0;                   // in the file
  std::uint64_t size = 0;                     // bytes
  std::vector<std::uint32_t> checksums = {};  // of its blocks
};

struct BinaryHeader {
  static constexpr std::uint64_t kBytes = 80;

  std::uint64_t states = 0;
  std::uint64_t actions = 0;
  std::uint64_t transitions = 0;
  double discount = 0;
  std::uint64_t directory_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint32_t block_bytes = 0;
  std::uint32_t sections = 0;
  std::uint32_t directory_checksum = 0;
  std::uint32_t checksum = 0;  // of all the above; set by reading
};

struct BinaryLayout {
  BinaryHeader header;
  std::vector<BinarySection> sections;

  bool is_dense() const;
  // The only section of that kind; null where there is none.
  const BinarySection* find(SectionKind kind) const;
};

// Header and directory as bytes. Sets offsets, sizes of directory and file, number of sections and
// checksums of header and directory; all else must be there.
std::string encoded(BinaryLayout& layout);

// Both throw InvalidInput, without the name of the file, unless all numbers fit each other and the
// size of the file. Of the numbers inside sections nothing is known then, but every section lies in
// the file and has the size that S, A and N ask for.
BinaryHeader read_header(const ByteSource& source);
BinaryLayout read_layout(const ByteSource& source);

}  // namespace rgu
