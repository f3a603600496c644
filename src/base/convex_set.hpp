// Compact convex sets in R^n: ambiguity sets, policy parameters, the occupancy polytope.
#pragma once

#include "rgu/base/types.hpp"

namespace rgu {

// A member x with a large <direction, x>, and what it may lack of the largest.
struct CertifiedSupport {
  Vector point;
  double gap = 0;  // no member has more than <direction, point> + gap, up to rounding; >= 0
};

class ConvexSet {
 public:
  virtual ~ConvexSet() = default;

  Index dimension() const { return dimension_; }

  // The member nearest to `point` in the Euclidean norm.
  virtual Vector project(const Vector& point) const = 0;

  // A member that maximises <direction, x>.
  virtual Vector support_point(const Vector& direction) const = 0;

  // The same with a bound on what it lacks: none unless a set says so. Some sets have no support
  // point in closed form; they stop when the bound is down to rounding or gets no smaller.
  virtual CertifiedSupport certified_support(const Vector& direction) const;

  // The largest Euclidean distance between two members, or an upper bound where a set says so.
  virtual double diameter() const = 0;

  // Distance of `direction` from the normal cone at the member `point`. Zero exactly when `point`
  // maximises <direction, x> over the set. By Moreau it is the length of the projection of
  // `direction` onto the tangent cone, that is of the derivative of t -> project(point + t
  // direction) at 0+. The default takes that derivative by a small step: exact up to rounding on
  // polyhedra, first-order accurate on curved sets; sets with a closed form override it.
  virtual double normal_residual(const Vector& point, const Vector& direction) const;

 protected:
  explicit ConvexSet(Index dimension) : dimension_(dimension) {}

  // Throws InvalidInput unless `vector` has this set's dimension.
  void check_dimension(const char* name, const Vector& vector) const;

 private:
  Index dimension_;
};

// Euclidean distance from `point` to `set`.
double distance(const ConvexSet& set, const Vector& point);

// What rounding, and methods that stop at a tolerance, may put between a member and the set:
// `relative` times the diameter, and a thousand times the rounding of the point itself.
double membership_slack(const ConvexSet& set, const Vector& point, double relative = 1e-9);

// Is `point` within `tolerance` of `set`?
bool contains(const ConvexSet& set, const Vector& point, double tolerance = 1e-9);

// An upper bound on |x| over the members: |nearest member to 0| + diameter.
double norm_bound(const ConvexSet& set);

}  // namespace rgu
