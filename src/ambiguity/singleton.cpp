#include "rgu/ambiguity/singleton.hpp"

#include <utility>

#include "rgu/ambiguity/arguments.hpp"

namespace rgu {

Singleton::Singleton(Vector point) : ConvexSet(point.size()), point_(std::move(point)) {
  check_finite("point of the singleton", point_);
}

Vector Singleton::project(const Vector& point) const {
  check_argument("point", point, dimension());
  return point_;
}

Vector Singleton::support_point(const Vector& direction) const {
  check_argument("direction", direction, dimension());
  return point_;
}

double Singleton::normal_residual(const Vector& point, const Vector& direction) const {
  check_argument("point", point, dimension());
  check_argument("direction", direction, dimension());
  return 0;
}

}  // namespace rgu
