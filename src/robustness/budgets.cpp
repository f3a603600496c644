#include "rgu/robustness/budgets.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "rgu/ambiguity/intersection_set.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/robustness/vertices.hpp"

namespace rgu {

std::optional<Budget> as_budget(const ConvexSet& set) {
  const auto* common = dynamic_cast<const IntersectionSet*>(&set);
  if (common == nullptr) return std::nullopt;
  const LpBall* total = nullptr;
  Vector lower = Vector::Constant(set.dimension(), -kInfinity);
  Vector upper = -lower;
  for (const auto& part : common->parts()) {
    const auto* ball = dynamic_cast<const LpBall*>(part.get());
    if (ball != nullptr && ball->p() == 1 && total == nullptr) {
      total = ball;
      continue;
    }
    const auto box = as_box(*part);
    if (!box) return std::nullopt;
    lower = lower.cwiseMax(box->lower);
    upper = upper.cwiseMin(box->upper);
  }
  if (total == nullptr || (lower.array() > total->centre().array()).any() ||
      (upper.array() < total->centre().array()).any()) {
    return std::nullopt;
  }
  return Budget{.centre = total->centre(),
                .total = total->radius(),
                .limits = {.lower = std::move(lower), .upper = std::move(upper)}};
}

Vector support_point(const Budget& budget, const Vector& direction) {
  std::vector<Index> order(static_cast<std::size_t>(direction.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) {
    return std::abs(direction(i)) > std::abs(direction(j));
  });
  Vector point = budget.centre;
  double left = budget.total;
  for (const Index i : order) {
    if (direction(i) == 0 || left == 0) break;
    const double limit = direction(i) > 0 ? budget.limits.upper(i) : budget.limits.lower(i);
    const double room = std::abs(limit - budget.centre(i));
    if (room <= left) {
      point(i) = limit;
      left -= room;
    } else {
      point(i) += direction(i) > 0 ? left : -left;
      left = 0;
    }
  }
  return point;
}

}  // namespace rgu
