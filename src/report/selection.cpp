#include "rgu/report/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "rgu/report/text.hpp"

namespace rgu::report {

Selection greatest(const Vector& weights, const SelectionRule& rule) {
  Selection selection;
  selection.kept.resize(static_cast<std::size_t>(weights.size()));
  std::iota(selection.kept.begin(), selection.kept.end(), Index{0});
  if (weights.size() <= rule.most) return selection;
  std::stable_sort(selection.kept.begin(), selection.kept.end(),
                   [&](Index a, Index b) { return weights(a) > weights(b); });
  selection.kept.resize(static_cast<std::size_t>(rule.shown));
  std::sort(selection.kept.begin(), selection.kept.end());
  selection.sentence = fmt::format("Of {} {}, the {} {} are shown.", count(weights.size()),
                                   rule.things, count(rule.shown), rule.property);
  return selection;
}

Matrix part_of(const Matrix& values, const std::vector<Index>& rows,
               const std::vector<Index>& columns) {
  return values(rows, columns);
}

}  // namespace rgu::report
