#include "rgu/ambiguity/ellipsoid_cut.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rgu/ambiguity/arguments.hpp"
#include "rgu/ambiguity/monotone_search.hpp"

namespace rgu {
namespace {

constexpr double kOnSurface = 1e-12;  // relative to the radius

}  // namespace

EllipsoidCut::EllipsoidCut(std::shared_ptr<const CommonPolyhedron> polyhedron,
                           std::shared_ptr<const Ellipsoid> ellipsoid)
    : ConvexSet(polyhedron->dimension()),
      polyhedron_(std::move(polyhedron)),
      ellipsoid_(std::move(ellipsoid)),
      root_(ellipsoid_->weights().cwiseSqrt()) {
  const Vector deepest = along(Vector::Zero(dimension()), 0);
  check(excess(deepest) <= kOnSurface * ellipsoid_->radius() + 4 * rounding(deepest),
        "polyhedron and ellipsoid have no common point");
}

Vector EllipsoidCut::to_axes(const Vector& vector) const {
  if (ellipsoid_->axes().size() == 0) return vector;
  return ellipsoid_->axes().transpose() * vector;
}

Vector EllipsoidCut::from_axes(const Vector& vector) const {
  if (ellipsoid_->axes().size() == 0) return vector;
  return ellipsoid_->axes() * vector;
}

double EllipsoidCut::excess(const Vector& x) const {
  return root_.cwiseProduct(to_axes(x - ellipsoid_->centre())).stableNorm() - ellipsoid_->radius();
}

double EllipsoidCut::rounding(const Vector& x) const {
  const double places = x.stableNorm() + ellipsoid_->centre().stableNorm();
  return 4 * kEps * (ellipsoid_->radius() + root_.maxCoeff() * places);
}

// Weights relative to the largest, so that both ends of s have a metric of size 1.
Vector EllipsoidCut::between(const Vector& point, double s) const {
  const Vector ratio = ellipsoid_->weights() / ellipsoid_->weights().maxCoeff();
  const Vector metric = (s + (1 - s) * ratio.array()).matrix();
  const Vector share = s * metric.cwiseInverse();  // of the point in the mean
  const Vector offset = share.cwiseProduct(to_axes(point - ellipsoid_->centre()));
  return polyhedron_->nearest(ellipsoid_->centre() + from_axes(offset),
                              {.axes = ellipsoid_->axes(), .root = metric.cwiseSqrt()});
}

Vector EllipsoidCut::along(const Vector& direction, double s) const {
  const Vector step = s * to_axes(direction).cwiseQuotient(ellipsoid_->weights());
  return polyhedron_->nearest(ellipsoid_->centre() + from_axes(step),
                              {.axes = ellipsoid_->axes(), .root = root_});
}

Vector EllipsoidCut::project(const Vector& point) const {
  check_argument("point", point, dimension());
  const Vector loose = polyhedron_->project(point);
  if (excess(loose) <= rounding(loose)) return loose;
  const Vector offset = to_axes(point - ellipsoid_->centre());
  const double first = ellipsoid_->radius() / root_.cwiseProduct(offset).stableNorm();
  const double s =
      last_nonpositive([&](double at) { return excess(between(point, at)); }, first, 1.0);
  return between(point, s);
}

Vector EllipsoidCut::support_point(const Vector& direction) const {
  return certified_support(direction).point;
}

CertifiedSupport EllipsoidCut::certified_support(const Vector& direction) const {
  check_argument("direction", direction, dimension());
  CertifiedSupport loose = polyhedron_->certified_support(direction);
  if (excess(loose.point) <= rounding(loose.point)) return loose;
  if (direction.isZero(0)) return {.point = along(direction, 0), .gap = 0};
  const double radius = ellipsoid_->radius();
  const double length = to_axes(direction).cwiseQuotient(root_).stableNorm();
  const auto outside = [&](double s) { return excess(along(direction, s)); };
  const double s = last_nonpositive_outward(outside, radius / length, kFarthest * radius / length);
  CertifiedSupport best{.point = along(direction, s)};
  const Vector& x = best.point;
  best.gap = std::max(0.0, direction.dot(loose.point - x)) + loose.gap;
  const Vector scaled = root_.cwiseProduct(to_axes(x - ellipsoid_->centre()));
  const double distance = scaled.stableNorm();
  // Members are within this of the one nearest to the centre, in the metric of the ellipsoid.
  const double room =
      std::sqrt(std::max(0.0, radius - distance) * (radius + distance) + 2 * radius * rounding(x));
  if (s == 0) {
    best.gap = std::min(best.gap, length * room);
    return best;
  }
  // Directions of the two that add up to `direction`: Q (x - c) / s and the rest.
  const Vector own = from_axes(root_.cwiseProduct(scaled)) / s;
  const Vector rest = direction - own;
  const CertifiedSupport other = polyhedron_->certified_support(rest);
  const double by_directions = std::max(0.0, rest.dot(other.point - x)) + other.gap +
                               std::max(0.0, distance / s * (radius - distance));
  best.gap = std::min(best.gap, by_directions);
  return best;
}

double EllipsoidCut::diameter() const {
  return std::min(polyhedron_->diameter(), ellipsoid_->diameter());
}

}  // namespace rgu
