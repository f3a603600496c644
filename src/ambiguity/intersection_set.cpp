#include "rgu/ambiguity/intersection_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "rgu/ambiguity/arguments.hpp"

namespace rgu {
namespace {

// Checks the parts and returns their dimension: the base class needs it first.
Index common_dimension(const SetParts& parts) {
  check_count("number of parts of the intersection", static_cast<Index>(parts.size()));
  for (std::size_t k = 0; k < parts.size(); ++k) {
    check(parts[k] != nullptr, "part {} of the intersection is null, must be a set", k);
    check(parts[k]->dimension() == parts[0]->dimension(),
          "part {} of the intersection has dimension {}, must have {} as part 0", k,
          parts[k]->dimension(), parts[0]->dimension());
  }
  return parts[0]->dimension();
}

bool is_power_of_two(int k) { return (k & (k - 1)) == 0; }

}  // namespace

IntersectionSet::IntersectionSet(SetParts parts, IntersectionOptions options)
    : ConvexSet(common_dimension(parts)), parts_(std::move(parts)), options_(options) {
  check_positive("tolerance of the intersection", options_.tolerance);
  check_count("max_cycles of the intersection", options_.max_cycles);
  centre_ = common_point();
}

Vector IntersectionSet::common_point() const {
  Vector mean = Vector::Zero(dimension());
  for (const auto& part : parts_) {
    mean += part->support_point(Vector::Zero(dimension())) / static_cast<double>(parts_.size());
  }
  Dykstra dykstra(parts_, mean);
  const double tolerance = options_.tolerance * diameter();
  for (int k = 1; k <= options_.max_cycles; ++k) {
    dykstra.advance();
    if (dykstra.spread() <= tolerance + dykstra.rounding()) return dykstra.nearest();
    check(!is_power_of_two(k) || !dykstra.proves_empty(),
          "intersection is empty: its {} parts have no common point", parts_.size());
  }
  throw InvalidInput(fmt::format(
      "intersection may be empty: after {} cycles its parts are still {:.3g} apart, must be at "
      "most {:.3g}, and no separation was found",
      options_.max_cycles, dykstra.spread(), tolerance));
}

// From a far point Dykstra's method needs a number of cycles that grows with the distance: the
// normals are built up by pieces of the size of the set. But they nearly grow in proportion to the
// distance, so those of a near point on the way, scaled, are a good start.
Dykstra IntersectionSet::approached(const Vector& point) const {
  constexpr double kFactor = 4;
  const double size = diameter();
  const Vector offset = point - centre_;
  double share = 1;
  while (size > 0 && share * offset.stableNorm() > kFactor * size) share /= kFactor;
  Dykstra dykstra(parts_, centre_ + share * offset);
  while (share < 1) {
    for (int k = 0; k < std::min(100, options_.max_cycles); ++k) {
      dykstra.advance();
      if (dykstra.spread() <= 1e-3 * size) break;
    }
    share *= kFactor;
    dykstra.move_to(share < 1 ? centre_ + share * offset : point, kFactor);
  }
  return dykstra;
}

Vector IntersectionSet::nearest(const Vector& point, double tolerance) const {
  Dykstra dykstra = approached(point);
  for (int k = 0; k < options_.max_cycles; ++k) {
    dykstra.advance();
    if (dykstra.spread() <= tolerance + dykstra.rounding()) return dykstra.nearest();
  }
  throw NotConverged(fmt::format(
      "projection onto the intersection of {} sets: after {} cycles the parts are still {:.3g} "
      "apart, tolerance {:.3g}",
      parts_.size(), options_.max_cycles, dykstra.spread(), tolerance));
}

Vector IntersectionSet::project(const Vector& point) const {
  check_argument("point", point, dimension());
  return nearest(point, options_.tolerance * diameter());
}

// The proximal point method x <- project(x + reach g), |g| = 1. By the optimality conditions of the
// projection, g - (x_new - x) / reach is normal to the set at x_new. So the normal residual at
// x_new is at most |x_new - x| / reach, and with it, times the diameter, the distance to the
// maximum.
Vector IntersectionSet::support_point(const Vector& direction) const {
  check_argument("direction", direction, dimension());
  const double length = direction.stableNorm();
  const double size = diameter();
  if (length == 0.0 || size == 0.0) return centre_;
  const Vector unit = direction / length;
  Vector x = centre_;
  double reach = 4 * size;
  for (int k = 0; k < 1000; ++k) {
    const Vector next = nearest(x + reach * unit, options_.tolerance * size);
    const double step = (next - x).norm();
    x = next;
    if (step <= 1e-9 * reach) return x;
    reach = std::min(2 * reach, 32 * size);
  }
  throw NotConverged("support point of the intersection: no convergence in 1000 steps");
}

double IntersectionSet::diameter() const {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& part : parts_) least = std::min(least, part->diameter());
  return least;
}

double IntersectionSet::normal_residual(const Vector& point, const Vector& direction) const {
  check_argument("point", point, dimension());
  check_argument("direction", direction, dimension());
  const double length = direction.stableNorm();
  const double size = diameter();
  if (length == 0.0 || size == 0.0) return 0;
  // The tolerance of the projection divided by the step is the error of the quotient.
  const double step = 1e-4 * size;
  const double tolerance = 1e-9 * step;
  const Vector moved = nearest(point + (step / length) * direction, tolerance);
  return (moved - nearest(point, tolerance)).norm() * (length / step);
}

}  // namespace rgu
