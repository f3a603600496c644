// A polyhedron cut by an ellipsoid.
#pragma once

#include <memory>

#include "rgu/ambiguity/common_polyhedron.hpp"
#include "rgu/ambiguity/ellipsoid.hpp"

namespace rgu {

// With Q the matrix of the ellipsoid and c its centre, let x(s) be the member of the polyhedron
// nearest to a point that moves with s, in a metric that may change with it. Its distance
// |x(s) - c|_Q never falls, and with s the largest at which it is <= radius,
//   metric s I + (1-s) Q, target the mean of p and c that it weighs, s <= 1:
//     x(s) is the projection of p onto the polyhedron and the ellipsoid,
//   metric Q, target c + s Q^-1 d:  x(s) maximises <d, x> over both.
// Each x(s) is a quadratic program.
class EllipsoidCut final : public ConvexSet {
 public:
  // radius > 0. Throws InvalidInput if there is no common point, beyond rounding.
  EllipsoidCut(std::shared_ptr<const CommonPolyhedron> polyhedron,
               std::shared_ptr<const Ellipsoid> ellipsoid);

  Vector project(const Vector& point) const override;
  Vector support_point(const Vector& direction) const override;
  CertifiedSupport certified_support(const Vector& direction) const override;
  double diameter() const override;  // the less of the two: an upper bound

 private:
  Vector to_axes(const Vector& vector) const;
  Vector from_axes(const Vector& vector) const;
  double excess(const Vector& x) const;  // |x - c|_Q - radius
  double rounding(const Vector& x) const;
  Vector between(const Vector& point, double s) const;
  Vector along(const Vector& direction, double s) const;

  std::shared_ptr<const CommonPolyhedron> polyhedron_;
  std::shared_ptr<const Ellipsoid> ellipsoid_;
  Vector root_;  // of the weights
};

}  // namespace rgu
