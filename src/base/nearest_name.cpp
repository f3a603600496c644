#include "rgu/base/nearest_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace rgu {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table of distances between prefixes; row i is for the first i letters of a.
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string_view nearest_name(std::string_view name, std::span<const std::string> candidates) {
  constexpr std::size_t kLongest = 100;  // nobody misspells that much; the table would grow
  std::string_view nearest;
  std::size_t least = kLongest;
  if (name.size() > kLongest) return nearest;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    const std::size_t close = (std::max(name.size(), candidate.size()) + 2) / 3;
    if (distance > close || distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const std::string_view nearest = nearest_name(name, candidates);
  return nearest.empty() ? std::string() : fmt::format("; did you mean '{}'?", nearest);
}

}  // namespace rgu
