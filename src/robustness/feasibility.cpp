#include "rgu/robustness/feasibility.hpp"

#include "rgu/ambiguity/simplex.hpp"
#include "rgu/base/check.hpp"
#include "rgu/robustness/blocks.hpp"
#include "rgu/robustness/rules.hpp"
#include "rgu/robustness/vertices.hpp"
#include "rgu/utility/constrained.hpp"
#include "rgu/utility/regularized.hpp"

namespace rgu {

namespace {

// The gradient in the multipliers is the violation.
Vector violation(const Utility& utility, const Matrix& occupancy) {
  if (const auto* regularized = dynamic_cast<const NatureRegularized*>(&utility)) {
    return violation(regularized->inner(), occupancy);
  }
  if (const auto* constrained = dynamic_cast<const Constrained*>(&utility)) {
    return constrained->evaluate(occupancy, Vector::Zero(constrained->nature_dimension())).nature;
  }
  Vector all(0);
  if (const auto* sum = dynamic_cast<const Sum*>(&utility)) {
    for (const WeightedUtility& part : sum->parts()) {
      const Vector next = violation(*part.utility, occupancy);
      Vector longer(all.size() + next.size());
      longer << all, next;
      all = std::move(longer);
    }
  }
  return all;
}

bool on_edge(const ConvexSet& set, const Vector& nature, double tolerance) {
  if (const auto box = as_box(set)) {
    const Eigen::ArrayXd range = box->upper - box->lower;
    const Eigen::ArrayXd left = box->upper - nature;
    return (range > 0 && left <= tolerance * range).any();
  }
  if (const auto* orthant = dynamic_cast<const CappedOrthant*>(&set)) {
    return orthant->total() > 0 && nature.sum() >= (1 - tolerance) * orthant->total();
  }
  return distance(set, (1 + tolerance) * nature) > 0.1 * tolerance * nature.norm();
}

}  // namespace

std::optional<ConstraintReport> constraint_report(const Utility& utility, const Matrix& occupancy) {
  check_shape("occupancy", occupancy, {utility.states(), utility.actions()});
  const Vector found = violation(utility, occupancy);
  if (found.size() == 0) return std::nullopt;
  return ConstraintReport{.violation = found, .largest = found.maxCoeff()};
}

bool multipliers_on_edge(const Utility& utility, const ConvexSet& ambiguity, const Vector& nature,
                         double tolerance) {
  check_same_dimension(utility, ambiguity);
  check_size("xi", nature.size(), utility.nature_dimension());
  check_positive("tolerance of the edge", tolerance);
  if (const auto* regularized = dynamic_cast<const NatureRegularized*>(&utility)) {
    return multipliers_on_edge(regularized->inner(), ambiguity, nature, tolerance);
  }
  if (dynamic_cast<const Constrained*>(&utility) != nullptr) {
    return on_edge(ambiguity, nature, tolerance);
  }
  const auto* sum = dynamic_cast<const Sum*>(&utility);
  if (sum == nullptr) return false;
  const auto blocks = aligned_blocks(*sum, ambiguity);
  if (!blocks) return false;
  for (const NatureBlock& block : *blocks) {
    if (block.set == nullptr) continue;
    const Vector own = nature.segment(block.begin, block.set->dimension());
    if (multipliers_on_edge(*block.utility, *block.set, own, tolerance)) return true;
  }
  return false;
}

}  // namespace rgu
