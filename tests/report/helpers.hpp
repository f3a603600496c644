// Small things the tests of this folder share.
#pragma once

#include <gmock/gmock.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "laws/throws.hpp"

namespace rgu {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

inline std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++n;
  }
  return n;
}

// What is wrong with `xml`, or "" where it is well formed: every tag closed in order, attributes
// quoted, no stray < or &, one root element. Knows what our SVG uses: no comments, no CDATA.
std::string xml_fault(std::string_view xml);

}  // namespace rgu
