// The common points of several sets.
#pragma once

#include "rgu/ambiguity/dykstra.hpp"
#include "rgu/base/convex_set.hpp"

namespace rgu {

struct IntersectionOptions {
  double tolerance = 1e-12;  // relative to the diameter; see IntersectionSet::project
  int max_cycles = 100000;   // of one projection
};

class IntersectionSet final : public ConvexSet {
 public:
  // Throws InvalidInput unless there is at least one part, none is null, all have one dimension,
  // the tolerance is > 0 and max_cycles >= 1; if the parts are proven to have no common point; or
  // if max_cycles give neither a common point nor a proof.
  explicit IntersectionSet(SetParts parts, IntersectionOptions options = {});

  const SetParts& parts() const { return parts_; }
  // A common point: the nearest to the mean of the parts' centres.
  const Vector& centre() const { return centre_; }

  // Dykstra's method. What is returned lies in the last part and is the exact projection onto the
  // common points of the parts after each is moved by at most tolerance * diameter (plus rounding
  // of `point`). How far that is from the true projection depends on the angles at which the
  // parts meet. Throws NotConverged if max_cycles do not get there, as happens when parts
  // only just touch.
  Vector project(const Vector& point) const override;

  // Within 1e-9 |direction| diameter of the maximum, and the normal residual there is below
  // 1e-9 |direction|: the method stops when its own steps prove that. Direction 0: the centre.
  // Throws NotConverged as project does.
  Vector support_point(const Vector& direction) const override;

  // An upper bound: the least of the parts' diameters.
  double diameter() const override;

  // By a small step as in the base class, with a step and a tolerance that suit each other.
  double normal_residual(const Vector& point, const Vector& direction) const override;

 private:
  Vector common_point() const;
  Dykstra approached(const Vector& point) const;
  Vector nearest(const Vector& point, double tolerance) const;

  SetParts parts_;
  IntersectionOptions options_;
  Vector centre_;
};

}  // namespace rgu
