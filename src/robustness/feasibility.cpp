#include "rgu/robustness/feasibility.hpp"

#include <cmath>
#include <limits>

#include "rgu/base/check.hpp"
#include "rgu/utility/constrained.hpp"
#include "rgu/utility/regularized.hpp"
#include "rgu/utility/sum.hpp"

namespace rgu {

namespace {

void append(const Utility& utility, Limits& limits) {
  if (const auto* regularized = dynamic_cast<const NatureRegularized*>(&utility)) {
    return append(regularized->inner(), limits);
  }
  if (const auto* sum = dynamic_cast<const Sum*>(&utility)) {
    for (const WeightedUtility& part : sum->parts()) append(*part.utility, limits);
    return;
  }
  const auto* constrained = dynamic_cast<const Constrained*>(&utility);
  if (constrained == nullptr) return;
  const Index before = limits.thresholds.size(), added = constrained->nature_dimension();
  limits.costs.conservativeResize(utility.states() * utility.actions(), before + added);
  limits.costs.rightCols(added) = constrained->constraints().table;
  limits.thresholds.conservativeResize(before + added);
  limits.thresholds.tail(added) = constrained->thresholds();
}

}  // namespace

Limits limits_of(const Utility& utility) {
  Limits limits;
  append(utility, limits);
  return limits;
}

// Never 0, so that a limit of cost 0 is kept.
Vector Limits::slack() const {
  Vector result(thresholds.size());
  for (Index k = 0; k < result.size(); ++k) {
    result(k) = kSlack * (std::abs(thresholds(k)) + kSlack * costs.col(k).cwiseAbs().maxCoeff()) +
                std::numeric_limits<double>::min();
  }
  return result;
}

std::optional<ConstraintReport> constraint_report(const Utility& utility, const Matrix& occupancy) {
  check_shape("occupancy", occupancy, {utility.states(), utility.actions()});
  const Limits limits = limits_of(utility);
  if (limits.thresholds.size() == 0) return std::nullopt;
  const Eigen::Map<const Vector> mass(occupancy.data(), occupancy.size());
  ConstraintReport report{.violation = limits.costs.transpose() * mass - limits.thresholds};
  report.largest = report.violation.maxCoeff();
  const Vector slack = limits.slack();
  report.excess = (report.violation.array() / slack.array()).maxCoeff(&report.most);
  if (!(report.excess <= 1)) report.broken = report.most;
  return report;
}

}  // namespace rgu
