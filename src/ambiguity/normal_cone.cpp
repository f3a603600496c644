#include "rgu/ambiguity/normal_cone.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace rgu {

double distance_from_ray(const Vector& direction, const Vector& normal) {
  const double length = normal.stableNorm();
  if (length == 0.0) return direction.norm();
  const Vector unit = normal / length;
  return (direction - std::max(0.0, direction.dot(unit)) * unit).norm();
}

namespace {

// The squared distance from the box [t lower, t upper] is convex and piecewise quadratic in t.
class IntervalRay {
 public:
  IntervalRay(const Vector& direction, const Bounds& bounds) : g_(direction), bounds_(bounds) {}

  // Half the derivative of the squared distance: nondecreasing and piecewise linear in t.
  double slope(double t) const {
    double sum = 0;
    for (Index i = 0; i < g_.size(); ++i) sum += excess(i, t) * -end(i, t);
    return sum;
  }

  double distance(double t) const {
    double sum = 0;
    for (Index i = 0; i < g_.size(); ++i) sum += excess(i, t) * excess(i, t);
    return std::sqrt(sum);
  }

  // Where the slope changes its linear piece, in order, after a leading 0.
  std::vector<double> breakpoints() const {
    std::vector<double> points = {0.0};
    for (Index i = 0; i < g_.size(); ++i) {
      for (const double bound : {bounds_.lower(i), bounds_.upper(i)}) {
        const double t = g_(i) / bound;
        if (std::isfinite(bound) && t > 0 && std::isfinite(t)) points.push_back(t);
      }
    }
    std::sort(points.begin(), points.end());
    return points;
  }

 private:
  // How far g_i lies outside [t lower_i, t upper_i], signed.
  double excess(Index i, double t) const {
    if (g_(i) > t * bounds_.upper(i)) return g_(i) - t * bounds_.upper(i);
    if (std::isinf(bounds_.lower(i))) return 0;
    return std::min(0.0, g_(i) - t * bounds_.lower(i));
  }
  // The end that g_i lies beyond; only read where the excess is not zero.
  double end(Index i, double t) const {
    const double e = excess(i, t);
    return e > 0 ? bounds_.upper(i) : e < 0 ? bounds_.lower(i) : 0.0;
  }

  const Vector& g_;
  const Bounds& bounds_;
};

}  // namespace

double distance_from_interval_ray(const Vector& direction, const Bounds& bounds) {
  const IntervalRay ray(direction, bounds);
  const std::vector<double> points = ray.breakpoints();
  const auto right = std::partition_point(points.begin(), points.end(),
                                          [&](double t) { return ray.slope(t) < 0; });
  if (right == points.begin()) return ray.distance(0);
  // The root lies on one linear piece, between two breakpoints or after the last.
  const double t0 = *(right - 1);
  const double t1 = right == points.end() ? t0 + std::max(1.0, t0) : *right;
  const double s0 = ray.slope(t0);
  const double rise = ray.slope(t1) - s0;
  return ray.distance(rise > 0 ? t0 - s0 * (t1 - t0) / rise : t1);
}

double distance_from_box_normals(const Vector& direction, const Bounds& bounds,
                                 const Vector& point) {
  double sum = 0;
  for (Index i = 0; i < direction.size(); ++i) {
    const double low = bounds.lower(i);
    const double high = bounds.upper(i);
    const double slack =
        kActiveTolerance * (high - low) + 16 * kEps * std::max(std::abs(low), std::abs(high));
    const double g = direction(i);
    const bool blocked = g > 0 ? point(i) >= high - slack : point(i) <= low + slack;
    if (!blocked) sum += g * g;
  }
  return std::sqrt(sum);
}

}  // namespace rgu
