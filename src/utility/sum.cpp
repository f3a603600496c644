#include "rgu/utility/sum.hpp"

#include <algorithm>
#include <cmath>

#include "rgu/base/check.hpp"

namespace rgu {

namespace {

// Checked before the base class is made, which needs the sizes.
const Utility& first_of(const std::vector<WeightedUtility>& parts) {
  check_count("number of parts of a sum", std::ssize(parts));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    check(parts[i].utility != nullptr, "part {} of a sum is empty, must be a utility", i);
  }
  return *parts.front().utility;
}

Index total_dimension(const std::vector<WeightedUtility>& parts) {
  Index total = 0;
  for (const WeightedUtility& part : parts) {
    total =
        checked_product({{"dimension of xi of a sum", total + part.utility->nature_dimension()}});
  }
  return total;
}

// What the part is in its own block of xi, as far as the sum can tell.
UtilityTraits weighted_traits(const WeightedUtility& part) {
  UtilityTraits traits = part.utility->traits();
  if (part.weight == 0) {
    traits = {.convex_in_occupancy = true, .nature = NatureShape::kLinear};
  }
  traits.strong_concavity *= part.weight;
  return traits;
}

}  // namespace

Sum::Sum(std::vector<WeightedUtility> parts)
    : Utility({.states = first_of(parts).states(),
               .actions = first_of(parts).actions(),
               .nature = total_dimension(parts)}),
      parts_(std::move(parts)) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Utility& utility = *parts_[i].utility;
    check_nonnegative(fmt::format("weight of part {} of a sum", i), parts_[i].weight);
    check(utility.states() == states() && utility.actions() == actions(),
          "part {} of a sum has {} states and {} actions, must have {} and {} as part 0", i,
          utility.states(), utility.actions(), states(), actions());
  }
}

UtilityGradient Sum::evaluate(const Matrix& occupancy, const Vector& nature) const {
  check_arguments(occupancy, nature);
  UtilityGradient total{.value = 0,
                        .occupancy = Matrix::Zero(states(), actions()),
                        .nature = Vector(nature_dimension())};
  Index begin = 0;
  for (const auto& [weight, utility] : parts_) {
    const Index size = utility->nature_dimension();
    const UtilityGradient part = utility->evaluate(occupancy, nature.segment(begin, size));
    total.value += weight * part.value;
    total.occupancy += weight * part.occupancy;
    total.nature.segment(begin, size) = weight * part.nature;
    begin += size;
  }
  return total;
}

UtilityTraits Sum::traits() const {
  UtilityTraits sum{.convex_in_occupancy = true, .nature = NatureShape::kNone};
  bool all_linear = true;
  bool all_strong = true;
  bool all_concave = true;
  double least_modulus = std::numeric_limits<double>::infinity();
  for (const WeightedUtility& part : parts_) {
    const UtilityTraits traits = weighted_traits(part);
    sum.convex_in_occupancy &= traits.convex_in_occupancy;
    if (part.utility->nature_dimension() == 0) continue;
    all_linear &= traits.nature == NatureShape::kLinear;
    all_strong &= traits.nature == NatureShape::kStronglyConcave;
    all_concave &= traits.nature != NatureShape::kNonconcave;
    least_modulus = std::min(least_modulus, traits.strong_concavity);
  }
  if (nature_dimension() == 0) return sum;
  sum.nature = !all_concave ? NatureShape::kNonconcave
               : all_linear ? NatureShape::kLinear
               : all_strong ? NatureShape::kStronglyConcave
                            : NatureShape::kConcave;
  if (sum.nature == NatureShape::kStronglyConcave) sum.strong_concavity = least_modulus;
  return sum;
}

// |xi| <= nature_norm bounds every block by nature_norm. In lambda the gradients add. In xi they
// are blocks: norms add in squares, and the Lipschitz constant of a block-diagonal map is the
// largest. The mixed derivative is a row of blocks, of norm <= the root of the sum of squares.
UtilityConstants Sum::constants(double nature_norm) const {
  check_nonnegative("bound on |xi|", nature_norm);
  UtilityConstants sum{.occupancy_gradient = 0,
                       .occupancy_lipschitz = 0,
                       .nature_gradient = 0,
                       .nature_lipschitz = 0,
                       .cross_lipschitz = 0};
  for (const auto& [weight, utility] : parts_) {
    if (weight == 0) continue;  // 0 times infinity is no number
    const UtilityConstants part = utility->constants(nature_norm);
    sum.occupancy_gradient += weight * part.occupancy_gradient;
    sum.occupancy_lipschitz += weight * part.occupancy_lipschitz;
    sum.nature_gradient = std::hypot(sum.nature_gradient, weight * part.nature_gradient);
    sum.nature_lipschitz = std::max(sum.nature_lipschitz, weight * part.nature_lipschitz);
    sum.cross_lipschitz = std::hypot(sum.cross_lipschitz, weight * part.cross_lipschitz);
  }
  return sum;
}

}  // namespace rgu
