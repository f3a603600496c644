// Policies of large models as binary files, written and read piece by piece.
//
//   "RGUPOLCY"                    8 bytes
//   version = 1, mark = 0x01020304   u32 each; the mark tells the order of bytes
//   S, A, pieces                  u64 each
//   checksum of all before, 0     u32 each
//   then each piece, the states in order:
//     first, last                 u64 each: the states first .. last - 1
//     pi(a|s)                     f64 each, row by row
//     checksum of the piece, 0    u32 each
//
// All little-endian; checksums are CRC-32C.
#pragma once

#include <filesystem>

#include "rgu/base/ranks.hpp"
#include "rgu/mdp/world_slice.hpp"

namespace rgu {

struct PolicyShape {
  Index states = 0;
  Index actions = 0;
};

// All ranks together: rank 0 writes what each has of the policy, rank after rank, and the file
// appears at its end, whole. policy: (own, A). Throws FileError, on rank 0 alone.
void write_spread_policy(const std::filesystem::path& path, const Matrix& policy, PolicyShape shape,
                         StateRange own, Ranks& ranks);

// The rows of these states. Throws InvalidInput where the file is not such a policy, or a piece
// that is needed is damaged.
Matrix read_policy_rows(const std::filesystem::path& path, PolicyShape shape, StateRange own);

}  // namespace rgu
