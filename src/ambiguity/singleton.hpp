// A set of one point: nature has no choice. Of dimension 0 for utilities without xi.
#pragma once

#include "rgu/base/convex_set.hpp"

namespace rgu {

class Singleton final : public ConvexSet {
 public:
  // Throws InvalidInput unless the point is finite.
  explicit Singleton(Vector point);

  const Vector& point() const { return point_; }

  Vector project(const Vector& point) const override;
  Vector support_point(const Vector& direction) const override;
  double diameter() const override { return 0; }
  double normal_residual(const Vector& point, const Vector& direction) const override;

 private:
  Vector point_;
};

}  // namespace rgu
