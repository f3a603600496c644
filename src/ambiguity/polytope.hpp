// Bounded polyhedra {x : normals x <= offsets}.
#pragma once

#include "rgu/ambiguity/bounds.hpp"
#include "rgu/ambiguity/halfspaces.hpp"
#include "rgu/base/convex_set.hpp"

namespace rgu {

// Rows may repeat, be redundant or zero; the set may be flat (equations as pairs of rows). Only
// for moderate sizes: construction solves 4 n + 1 linear programs, a projection is a dense
// quadratic program.
class Polytope final : public ConvexSet {
 public:
  // normals: (m, n), offsets: (m). Throws InvalidInput unless both are finite with n >= 1 and
  // m >= 1, some x satisfies all rows up to rounding (the message names rows that contradict each
  // other), and the set is bounded (the message gives a direction in which it is not).
  Polytope(Matrix normals, Vector offsets);

  const Matrix& normals() const { return normals_; }
  const Vector& offsets() const { return offsets_; }
  // The ends of the smallest box around the set.
  const Vector& lower() const { return box_.lower; }
  const Vector& upper() const { return box_.upper; }
  // A member with the largest distance to the nearest facet.
  const Vector& centre() const { return centre_; }

  // Optimality conditions hold within 1e-12 of the set's size (halfspaces.hpp).
  Vector project(const Vector& point) const override;
  // A vertex, by linear programming; direction 0: the centre.
  Vector support_point(const Vector& direction) const override;
  // An upper bound: the diagonal of the smallest box around the set.
  double diameter() const override;
  // Exact: the projection of the direction onto the cone that the active rows leave free.
  double normal_residual(const Vector& point, const Vector& direction) const override;

 private:
  bool is_point() const;

  Matrix normals_;
  Vector offsets_;
  Vector centre_;
  Bounds box_;
  Halfspaces moved_;  // rows of length 1, the origin moved to the centre
};

}  // namespace rgu
