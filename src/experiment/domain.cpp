#include "rgu/experiment/domain.hpp"

#include <algorithm>

#include "rgu/ambiguity/intersection_set.hpp"
#include "rgu/base/check.hpp"
#include "rgu/utility/constrained.hpp"
#include "rgu/utility/regularized.hpp"
#include "rgu/utility/target.hpp"

namespace rgu {
namespace {

constexpr Index kMostCoordinates = 5000;  // each costs a support point

struct LowestEntry {
  Index coordinate = 0;
  double value = 0;
};

// The least value of a coordinate in the set, or a bound below it that is not negative.
double lowest_value(const ConvexSet& set, Index coordinate) {
  if (const auto* intersection = dynamic_cast<const IntersectionSet*>(&set)) {
    // A part that is as it should be settles it; only otherwise the search through all is needed.
    for (const auto& part : intersection->parts()) {
      const double bound = lowest_value(*part, coordinate);
      if (bound >= 0) return bound;
    }
  }
  return set.support_point(-Vector::Unit(set.dimension(), coordinate))(coordinate);
}

// The least value that a coordinate takes in the set, if that is below 0.
LowestEntry lowest_entry(const ConvexSet& set) {
  LowestEntry lowest;
  for (Index i = 0; i < std::min(set.dimension(), kMostCoordinates); ++i) {
    const double value = lowest_value(set, i);
    if (value < lowest.value) lowest = {.coordinate = i, .value = value};
  }
  return lowest;
}

}  // namespace

void check_domain(const Utility& utility, const ConvexSet& ambiguity) {
  if (const auto* regularized = dynamic_cast<const NatureRegularized*>(&utility)) {
    return check_domain(regularized->inner(), ambiguity);
  }
  const auto* target = dynamic_cast<const KlTarget*>(&utility);
  const bool constrained = dynamic_cast<const Constrained*>(&utility) != nullptr;
  if (target == nullptr && !constrained) return;
  const LowestEntry lowest = lowest_entry(ambiguity);
  if (constrained) {
    const double rounding = 1e-12 * norm_bound(ambiguity);
    check(lowest.value >= -rounding,
          "it has members with xi[{}] = {:.3g}; multipliers of constraints must be >= 0, as in set "
          "= \"box\" with lower = 0, or \"capped-orthant\"",
          lowest.coordinate, lowest.value);
  } else {
    check(lowest.value > -target->delta(),
          "it has members with xi[{}] = {:.3g}; targets of a kl-target must be above -delta = "
          "{:.3g}, as in set = \"simplex\", or an \"intersection\" with a box of lower = 0",
          lowest.coordinate, lowest.value, -target->delta());
  }
}

}  // namespace rgu
