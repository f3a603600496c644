// The common points of several sets.
#pragma once

#include <memory>
#include <optional>

#include "rgu/ambiguity/ball_cut.hpp"
#include "rgu/ambiguity/dykstra.hpp"
#include "rgu/base/convex_set.hpp"

namespace rgu {

struct IntersectionOptions {
  double tolerance = 1e-12;  // relative to the diameter; see IntersectionSet::project
  int max_cycles = 100000;   // of one projection by Dykstra's method
};

// Parts that are intersections count as their own parts. Projections are exact up to rounding where
// the parts other than Euclidean balls are
//   one set of any kind,
//   or polyhedra of at most 200 dimensions and 2000 rows (common_polyhedron.hpp),
//   or such polyhedra and one ellipsoid (ellipsoid_cut.hpp),
// and at most two Euclidean balls cut that (ball_cut.hpp; of three balls the first counts as the
// one set). Everything else takes Dykstra's method.
class IntersectionSet final : public ConvexSet {
 public:
  // Throws InvalidInput unless there is at least one part, none is null, all have one dimension,
  // the tolerance is > 0 and max_cycles >= 1; if the parts are proven to have no common point; or
  // if neither a common point nor a proof is found.
  explicit IntersectionSet(SetParts parts, IntersectionOptions options = {});

  const SetParts& parts() const { return parts_; }
  // A common point: the nearest to the mean of the parts' centres.
  const Vector& centre() const { return centre_; }

  // Exact up to rounding where the class comment says so. Otherwise Dykstra's method: what is
  // returned lies in the last part and is the exact projection onto the common points of the parts
  // after each is moved by at most tolerance * diameter (plus rounding of `point`). How far that is
  // from the true projection depends on the angles at which the parts meet. Where max_cycles do not
  // get there, as happens when such parts only just touch, by tangents of the parts, and then up to
  // 1000 times as far. Throws NotConverged if that fails too.
  Vector project(const Vector& point) const override;

  // That of certified_support.
  Vector support_point(const Vector& direction) const override;

  // Exact up to rounding where the projection is. Otherwise by projections, until the bound is
  // 1e-9 |direction| diameter or gets no smaller. The bound holds in every case: directions y_k of
  // the parts that add up to `direction` prove it, as no common point has more than the sum of the
  // parts' maxima of <y_k, x>. Direction 0: the centre. Throws nothing but InvalidInput.
  CertifiedSupport certified_support(const Vector& direction) const override;

  // An upper bound: the least of the parts' diameters.
  double diameter() const override;

  // By a small step as in the base class, with a step and a tolerance that suit each other.
  double normal_residual(const Vector& point, const Vector& direction) const override;

 private:
  // The parts of parts, down to sets of another kind.
  static SetParts leaves_of(const SetParts& parts);
  void find_exact_form();
  std::shared_ptr<const ConvexSet> core_of(const SetParts& others) const;
  Vector common_point() const;
  Vector common_point_by_cycles(const Vector& near) const;
  Dykstra approached(const Vector& point) const;
  std::optional<Vector> nearest_by_tangents(const Vector& point, double tolerance) const;
  static bool settle(Dykstra& dykstra, double tolerance, int max_cycles);
  Vector nearest(const Vector& point, double tolerance) const;
  CertifiedSupport support_by_projections(const Vector& direction) const;

  SetParts parts_;
  SetParts leaves_;
  IntersectionOptions options_;
  std::optional<BallCut> exact_;
  Vector centre_;
};

}  // namespace rgu
