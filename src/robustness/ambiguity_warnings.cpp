#include "rgu/base/check.hpp"
#include "rgu/base/decompositions.hpp"
#include "rgu/robustness/blocks.hpp"
#include "rgu/robustness/round_sets.hpp"
#include "rgu/robustness/rules.hpp"
#include "rgu/utility/drift.hpp"

namespace rgu {

namespace {

using Warnings = std::vector<std::string>;

// Within rounding of the singular value counts as reached.
Warnings degenerate_drift(const Drift& drift, const ConvexSet& set) {
  const auto ball = as_matrix_ball(set, {drift.dimension(), drift.feature_dimension()});
  if (!ball) return {};
  const Vector gains = thin_singular_values(ball->centre).values;
  const double least = gains(drift.dimension() - 1);
  if (ball->radius < least - 1e-12 * gains(0)) return {};
  const char* what = drift.smoothing() == 0 ? "the worst case is 0 for every policy"
                                            : "the worst smallest eigenvalue is 0 for every policy";
  return {
      fmt::format("{}: the radius {:.6g} of the ambiguity set is not below {:.6g}, the "
                  "smallest singular value of its centre, so nature can choose a feature map "
                  "without full rank; choose a smaller radius",
                  what, ball->radius, least)};
}

Warnings of_parts(const Sum& sum, const ConvexSet& set) {
  const auto blocks = aligned_blocks(sum, set);
  if (!blocks) return {};
  Warnings all;
  for (std::size_t k = 0; k < blocks->size(); ++k) {
    const NatureBlock& block = (*blocks)[k];
    if (block.set == nullptr || block.weight == 0) continue;
    for (const std::string& text : ambiguity_warnings(*block.utility, *block.set)) {
      all.push_back(fmt::format("part {} of the sum: {}", k, text));
    }
  }
  return all;
}

}  // namespace

std::vector<std::string> ambiguity_warnings(const Utility& utility, const ConvexSet& ambiguity) {
  check_same_dimension(utility, ambiguity);
  if (const auto* sum = dynamic_cast<const Sum*>(&utility)) return of_parts(*sum, ambiguity);
  const auto* drift = dynamic_cast<const Drift*>(&utility);
  return drift == nullptr ? Warnings{} : degenerate_drift(*drift, ambiguity);
}

}  // namespace rgu
