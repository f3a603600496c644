// The probability simplex, and the nonnegative orthant cut by an l_1 ball.
#pragma once

#include "rgu/base/convex_set.hpp"

namespace rgu {

// The point of {x : x >= 0, sum x = total} nearest to `point`; total >= 0, point not empty. Exact,
// in O(n log n), also for points that are far away.
Vector nearest_on_simplex(const Vector& point, double total);

// {x : x >= 0, sum x = 1}.
class ProbabilitySimplex final : public ConvexSet {
 public:
  explicit ProbabilitySimplex(Index dimension);  // throws InvalidInput unless dimension >= 1

  Vector project(const Vector& point) const override;
  // All mass on the first largest entry; direction 0: the uniform distribution.
  Vector support_point(const Vector& direction) const override;
  double diameter() const override;  // exact
  double normal_residual(const Vector& point, const Vector& direction) const override;
};

// {x : x >= 0, sum x <= total}: multipliers of constraints.
class CappedOrthant final : public ConvexSet {
 public:
  // Throws InvalidInput unless dimension >= 1 and total is finite and >= 0.
  CappedOrthant(Index dimension, double total);

  double total() const { return total_; }

  Vector project(const Vector& point) const override;
  // All of `total` on the first largest entry if that is positive, otherwise (0 too): the origin.
  Vector support_point(const Vector& direction) const override;
  double diameter() const override;  // exact
  double normal_residual(const Vector& point, const Vector& direction) const override;

 private:
  double total_;
};

}  // namespace rgu
