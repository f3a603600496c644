#include "rgu/utility/utility.hpp"

#include "rgu/base/check.hpp"

namespace rgu {

void check_traits(const UtilityTraits& traits, Index nature_dimension) {
  const bool none = traits.nature == NatureShape::kNone;
  check(
      none == (nature_dimension == 0),
      "the declared shape in xi is {}, must be \"none\" exactly when xi has dimension 0; it has {}",
      none ? "\"none\"" : "not \"none\"", nature_dimension);
  check_nonnegative("strong concavity", traits.strong_concavity);
  const bool strong = traits.nature == NatureShape::kStronglyConcave;
  check(strong == (traits.strong_concavity > 0),
        "strong concavity is {}, must be > 0 exactly when the declared shape in xi is strongly "
        "concave",
        traits.strong_concavity);
}

Index pairs_of(const OccupancyShape& shape) {
  check_count("number of states", shape.states);
  check_count("number of actions", shape.actions);
  return checked_product(
      {{"number of states", shape.states}, {"number of actions", shape.actions}});
}

Utility::Utility(Sizes sizes)
    : states_(sizes.states), actions_(sizes.actions), nature_dimension_(sizes.nature) {
  pairs_of({.states = states_, .actions = actions_});
  checked_product({{"dimension of xi", nature_dimension_}});
}

void Utility::check_arguments(const Matrix& occupancy, const Vector& nature) const {
  check_shape("occupancy", occupancy, {states_, actions_});
  check_size("xi", nature.size(), nature_dimension_);
}

}  // namespace rgu
