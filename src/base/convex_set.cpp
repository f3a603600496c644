#include "rgu/base/convex_set.hpp"

#include <algorithm>

#include "rgu/base/check.hpp"

namespace rgu {

double ConvexSet::normal_residual(const Vector& point, const Vector& direction) const {
  check_dimension("point", point);
  check_dimension("direction", direction);
  const double length = direction.norm();
  if (length == 0.0) return 0.0;
  // Rounding costs eps * |point| / step, curvature costs step: balance the two.
  const double step = 1e-7 * std::max(1.0, point.norm());
  const Vector moved = project(point + (step / length) * direction);
  return (moved - project(point)).norm() * (length / step);
}

void ConvexSet::check_dimension(const char* name, const Vector& vector) const {
  check_size(name, vector.size(), dimension_);
}

double distance(const ConvexSet& set, const Vector& point) {
  return (point - set.project(point)).norm();
}

bool contains(const ConvexSet& set, const Vector& point, double tolerance) {
  return point.allFinite() && distance(set, point) <= tolerance;
}

double norm_bound(const ConvexSet& set) {
  return set.project(Vector::Zero(set.dimension())).norm() + set.diameter();
}

}  // namespace rgu
