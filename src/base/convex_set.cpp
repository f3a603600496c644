#include "rgu/base/convex_set.hpp"

#include <cmath>

#include "rgu/base/check.hpp"

namespace rgu {

CertifiedSupport ConvexSet::certified_support(const Vector& direction) const {
  return {.point = support_point(direction), .gap = 0};
}

double ConvexSet::normal_residual(const Vector& point, const Vector& direction) const {
  check_dimension("point", point);
  check_dimension("direction", direction);
  const double length = direction.norm();
  const double size = diameter();
  if (length == 0.0 || size == 0.0) return 0.0;
  // Rounding costs eps * |point| / step, curvature about step / size: balance the two.
  const double step = 4 * std::sqrt(kEps * size * (size + point.norm()));
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

double membership_slack(const ConvexSet& set, const Vector& point, double relative) {
  return relative * set.diameter() + 1000 * kEps * point.norm();
}

double norm_bound(const ConvexSet& set) {
  return set.project(Vector::Zero(set.dimension())).norm() + set.diameter();
}

}  // namespace rgu
