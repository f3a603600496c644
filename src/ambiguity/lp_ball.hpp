// Balls of the l_p norms: {x : |x - centre|_p <= radius}.
#pragma once

#include "rgu/base/convex_set.hpp"

namespace rgu {

// (sum |x_i|^p)^(1/p), or max |x_i| at p = infinity, without overflow. p >= 1.
double lp_norm(const Vector& vector, double p);

struct LpBallShape {
  Vector centre;
  double radius = 0;
  double p = 2;  // in [1, infinity]
};

// Projection: closed form for p = 1, 2, infinity; for other p by a root find (lp_projection.hpp).
// With radius 0 the ball is its centre.
class LpBall final : public ConvexSet {
 public:
  // Throws InvalidInput unless the centre is finite with at least one entry, the radius finite and
  // >= 0, and p >= 1 (infinity allowed).
  explicit LpBall(LpBallShape shape);

  const Vector& centre() const { return shape_.centre; }
  double radius() const { return shape_.radius; }
  double p() const { return shape_.p; }

  Vector project(const Vector& point) const override;

  // With q = p/(p-1): centre_i + radius sign(g_i) |g_i|^(q-1) / |g|_q^(q-1) [RGU, Lem. pgda-lp];
  // p = infinity: radius sign(g_i) on every coordinate; p = 1: all of the radius on the first
  // largest |g_i|; g = 0: the centre.
  Vector support_point(const Vector& direction) const override;

  // Exact: 2 radius n^max(0, 1/2 - 1/p).
  double diameter() const override;

  // Closed form for every p. For p between 1 and 2 the outward normal, with entries
  // sign(y_i) |y_i|^(p-1), changes without limit where y_i = x_i - centre_i is near 0: there the
  // rounding of x_i leaves a whole interval of normals, and the nearest of those counts.
  double normal_residual(const Vector& point, const Vector& direction) const override;

 private:
  bool is_max_norm() const;

  LpBallShape shape_;
};

}  // namespace rgu
