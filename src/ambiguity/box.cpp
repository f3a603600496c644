#include "rgu/ambiguity/box.hpp"

#include <utility>

#include "rgu/ambiguity/arguments.hpp"
#include "rgu/ambiguity/normal_cone.hpp"

namespace rgu {

Box::Box(Bounds bounds) : ConvexSet(bounds.lower.size()), bounds_(std::move(bounds)) {
  check_count("dimension of the box", dimension());
  check_argument("lower bound of the box", lower(), dimension());
  check_argument("upper bound of the box", upper(), dimension());
  for (Index i = 0; i < dimension(); ++i) {
    check(lower()(i) <= upper()(i), "box is empty in coordinate {}: lower {} is above upper {}", i,
          lower()(i), upper()(i));
  }
}

Vector Box::project(const Vector& point) const {
  check_argument("point", point, dimension());
  return point.cwiseMax(lower()).cwiseMin(upper());
}

Vector Box::support_point(const Vector& direction) const {
  check_argument("direction", direction, dimension());
  Vector best(dimension());
  for (Index i = 0; i < dimension(); ++i) {
    const double middle = 0.5 * lower()(i) + 0.5 * upper()(i);
    best(i) = direction(i) > 0 ? upper()(i) : direction(i) < 0 ? lower()(i) : middle;
  }
  return best;
}

double Box::diameter() const { return (upper() - lower()).stableNorm(); }

double Box::normal_residual(const Vector& point, const Vector& direction) const {
  check_argument("point", point, dimension());
  check_argument("direction", direction, dimension());
  return distance_from_box_normals(direction, bounds_, point);
}

Box uniform_box(Index dimension, Interval interval) {
  check_count("dimension of the box", dimension);
  return Box({.lower = Vector::Constant(dimension, interval.lower),
              .upper = Vector::Constant(dimension, interval.upper)});
}

}  // namespace rgu
