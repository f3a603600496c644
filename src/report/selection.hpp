// Which part of a large table is shown, and the sentence that says so.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rgu/base/types.hpp"

namespace rgu::report {

struct Selection {
  std::vector<Index> kept;  // ascending
  std::string sentence;     // empty where everything is kept
};

struct SelectionRule {
  Index most = 200;                     // so many are all shown
  Index shown = 100;                    // of more, so many
  std::string_view things = "entries";  // "states"
  std::string_view property = "first";  // "most visited": those of the greatest weight
};

// The entries of the greatest weight; of equal weights the first.
Selection greatest(const Vector& weights, const SelectionRule& rule);

// The rows and columns of `values` that were kept.
Matrix part_of(const Matrix& values, const std::vector<Index>& rows,
               const std::vector<Index>& columns);

}  // namespace rgu::report
