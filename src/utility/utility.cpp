#include "rgu/utility/utility.hpp"

#include "rgu/base/check.hpp"

namespace rgu {

Utility::Utility(Sizes sizes)
    : states_(sizes.states), actions_(sizes.actions), nature_dimension_(sizes.nature) {
  check_count("number of states", states_);
  check_count("number of actions", actions_);
  check_count("dimension of xi", nature_dimension_, 0);
}

void Utility::check_arguments(const Matrix& occupancy, const Vector& nature) const {
  check_shape("occupancy", occupancy, {states_, actions_});
  check_size("xi", nature.size(), nature_dimension_);
}

}  // namespace rgu
