#include "rgu/ambiguity/simplex.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "rgu/ambiguity/arguments.hpp"
#include "rgu/ambiguity/normal_cone.hpp"

namespace rgu {

// The nearest point is max(point - threshold, 0) with the threshold that makes the sum right
// [Held1974]. Entries are first taken relative to the largest, because only those within `total` of
// it end up positive: their differences are small and nearly exact however large the entries are.
Vector nearest_on_simplex(const Vector& point, double total) {
  const Vector below = point.array() - point.maxCoeff();  // <= 0
  Vector sorted = below;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0;
  double threshold = -total;
  for (Index k = 0; k < sorted.size() && sorted(k) > threshold; ++k) {
    sum += sorted(k);
    threshold = (sum - total) / static_cast<double>(k + 1);
  }
  Vector nearest = (below.array() - threshold).max(0.0);
  const double mass = nearest.sum();  // off by rounding only
  if (mass > 0) nearest *= total / mass;
  return nearest;
}

namespace {

// The normals of the facets x_i >= 0 that are active at `point` and of the facet with normal 1.
Bounds facet_normals(const Vector& point, double total) {
  constexpr double kUnbounded = -std::numeric_limits<double>::infinity();
  const auto active = point.array() <= kActiveTolerance * total;
  return {.lower =
              active.select(Vector::Constant(point.size(), kUnbounded), Vector::Ones(point.size())),
          .upper = Vector::Ones(point.size())};
}

}  // namespace

ProbabilitySimplex::ProbabilitySimplex(Index dimension) : ConvexSet(dimension) {
  check_count("dimension of the probability simplex", dimension);
  checked_product({{"dimension of the probability simplex", dimension}});
}

Vector ProbabilitySimplex::project(const Vector& point) const {
  check_argument("point", point, dimension());
  return nearest_on_simplex(point, 1.0);
}

Vector ProbabilitySimplex::support_point(const Vector& direction) const {
  check_argument("direction", direction, dimension());
  if (direction.isZero(0)) {
    return Vector::Constant(dimension(), 1.0 / static_cast<double>(dimension()));
  }
  Index best = 0;
  direction.maxCoeff(&best);
  return Vector::Unit(dimension(), best);
}

double ProbabilitySimplex::diameter() const { return dimension() == 1 ? 0.0 : std::sqrt(2.0); }

double ProbabilitySimplex::normal_residual(const Vector& point, const Vector& direction) const {
  check_argument("point", point, dimension());
  check_argument("direction", direction, dimension());
  // The vector 1 and its negative are both normal. A shift along it changes nothing, and after
  // this one the best multiple of 1 is never negative.
  const Vector shifted = direction.array() - direction.minCoeff();
  return distance_from_interval_ray(shifted, facet_normals(point, 1.0));
}

CappedOrthant::CappedOrthant(Index dimension, double total) : ConvexSet(dimension), total_(total) {
  check_count("dimension of the capped orthant", dimension);
  checked_product({{"dimension of the capped orthant", dimension}});
  check_nonnegative("total of the capped orthant", total);
}

Vector CappedOrthant::project(const Vector& point) const {
  check_argument("point", point, dimension());
  const Vector positive = point.cwiseMax(0.0);
  return positive.sum() <= total_ ? positive : nearest_on_simplex(point, total_);
}

Vector CappedOrthant::support_point(const Vector& direction) const {
  check_argument("direction", direction, dimension());
  Index best = 0;
  if (direction.maxCoeff(&best) <= 0) return Vector::Zero(dimension());
  return total_ * Vector::Unit(dimension(), best);
}

double CappedOrthant::diameter() const {
  return dimension() == 1 ? total_ : std::sqrt(2.0) * total_;
}

double CappedOrthant::normal_residual(const Vector& point, const Vector& direction) const {
  check_argument("point", point, dimension());
  check_argument("direction", direction, dimension());
  Bounds normals = facet_normals(point, total_);
  if (point.sum() < (1 - kActiveTolerance) * total_) {  // the cap is not active
    normals.lower = normals.lower.cwiseMin(0.0);
    normals.upper.setZero();
  }
  return distance_from_interval_ray(direction, normals);
}

}  // namespace rgu
