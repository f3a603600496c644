// Models as .rgum files: a whole World in bytes, of which a slice can be read and checked alone.
//
// Integers are unsigned, numbers IEEE 754 doubles, both with the least byte first. Sections and
// what precedes them follow each other without gaps:
//
//   header, 80 bytes
//      0   8  magic: 89 52 47 55 4D 0D 0A 1A ("\x89RGUM\r\n\x1a")
//      8   4  byte order mark 0x0A0B0C0D
//     12   4  version, 1
//     16   8  S, number of states, at least 1
//     24   8  A, number of actions, at least 1
//     32   8  N, number of transitions stored
//     40   8  discount, a double
//     48   8  size of the directory in bytes
//     56   8  size of the file in bytes
//     64   4  B, size of a block in bytes: a power of two, 64 .. 2^26
//     68   4  K, number of sections
//     72   4  CRC-32C of the directory
//     76   4  CRC-32C of bytes 0 .. 75
//   directory
//     K entries of 24 bytes:
//        0   4  kind
//        4   4  length of the name in bytes, 0 but for signals
//        8   8  offset of the section in the file
//       16   8  size of the section in bytes
//     the names, one after the other; zeros up to a multiple of 8
//     4 bytes for each block of each section, in order: its CRC-32C; zeros up to a multiple of 8
//   sections, in the order of their kinds
//     1  start           S doubles
//     2  row offsets     S * A + 1 integers of 8 bytes: row s * A + a of the kernel has the entries
//                        offset[row] .. offset[row + 1] - 1; the first is 0, the last N
//     3  probabilities   N doubles
//     4  signal          S * A doubles, row s * A + a; one section each, the names rising
//     5  columns         N integers of 4 bytes: the next state, rising within a row
//     6  grid            rows, columns, then the cell of each state: 2 + S integers of 4 bytes
//
// The blocks of a section are its bytes 0 .. B - 1, B .. 2 B - 1, ..; the last may be shorter. A
// dense kernel has neither section 2 nor section 5, and its S * A * S probabilities lie row by row.
// Section 6 may be absent, sections 4 may. Nothing else may, and no other kind may appear: what a
// reader does not know it would lose.
#pragma once

#include <filesystem>

#include "rgu/base/text_file.hpp"
#include "rgu/mdp/io/file_options.hpp"
#include "rgu/mdp/world_slice.hpp"

namespace rgu {

// Every byte of the file is checked. Throws InvalidInput, naming the file and what is wrong, on
// whatever breaks the format or is no proper model, and where a number does not fit the 32-bit
// indices of a kernel in memory. Takes memory in proportion to the size of the file, whatever the
// file says.
World read_binary(const std::filesystem::path& path, const ReadOptions& options = {});
World parse_binary(const NamedText& source, const ReadOptions& options = {});

// The slice of that world. Reads header, directory and the blocks that hold something of the slice,
// and checks these: damage elsewhere goes unseen. Only the slice must fit 32-bit indices. Throws
// also on a range outside the states.
WorldSlice read_binary_slice(const std::filesystem::path& path, const StateRange& own,
                             const ReadOptions& options = {});
WorldSlice parse_binary_slice(const NamedText& source, const StateRange& own,
                              const ReadOptions& options = {});

// Reads the header only.
ModelSize binary_size(const std::filesystem::path& path);

// The checksum of the header, which covers that of the directory, which covers those of all blocks:
// a file of other contents has another, and no block is read.
std::uint32_t binary_checksum(const std::filesystem::path& path);

struct BinaryOptions {
  std::uint32_t block_bytes = std::uint32_t{1} << 20;
};

// Reading the file back gives the same world, bit for bit, dense or sparse as it was. Throws
// InvalidInput if a signal is not (S, A) or not finite, if the grid does not fit, or if a row of a
// sparse kernel is not in order; and FileError.
void write_binary(const std::filesystem::path& path, const World& world,
                  const BinaryOptions& options = {});

}  // namespace rgu
