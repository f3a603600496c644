// Distances from normal cones: what the closed forms of ConvexSet::normal_residual are made of.
#pragma once

#include "rgu/ambiguity/bounds.hpp"
#include "rgu/base/types.hpp"

namespace rgu {

// A constraint counts as active at a member that is nearer to it than this fraction of the size of
// the set: members arrive rounded, or from a method that stopped at a tolerance.
inline constexpr double kActiveTolerance = 1e-9;

// Distance of `direction` from {t normal : t >= 0}.
double distance_from_ray(const Vector& direction, const Vector& normal);

// Distance of `direction` from the cone {v : t lower <= v <= t upper for some t >= 0}. An entry of
// `lower` may be -infinity: that coordinate is then unbounded below, for t = 0 too. Exact, in
// O(n log n).
double distance_from_interval_ray(const Vector& direction, const Bounds& bounds);

// Distance of `direction` from the normal cone of the box `bounds` at its member `point`.
double distance_from_box_normals(const Vector& direction, const Bounds& bounds,
                                 const Vector& point);

}  // namespace rgu
