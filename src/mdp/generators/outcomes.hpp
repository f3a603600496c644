// Rows of a sparse kernel from outcomes in any order.
#pragma once

#include <optional>
#include <vector>

#include "rgu/base/types.hpp"

namespace rgu {

struct Outcome {
  Index next = 0;
  double probability = 0;
};

// Throws InvalidInput unless a kernel of S states, A actions and `entries` stored entries has
// numbers that fit its 32-bit indices. Of a slice only the rows and entries that it keeps count.
struct KernelSize {
  Index states = 0;
  Index actions = 0;
  Index entries = 0;
  std::optional<Index> own = std::nullopt;  // states whose rows are kept; without it, all
};
void check_kernel_size(const KernelSize& size);

// Fills the next row, `row`, of a kernel that is filled in order from row 0; call finalize() on the
// kernel after the last. Outcomes with equal `next` are added up, those of probability 0 left out.
void append_row(SparseMatrix& kernel, Index row, std::vector<Outcome> outcomes);

}  // namespace rgu
