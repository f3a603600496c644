// A set cut by Euclidean balls: projections and support points by a search over one number per
// ball.
#pragma once

#include <memory>
#include <vector>

#include "rgu/ambiguity/euclidean_ball.hpp"

namespace rgu {

// The common points of `core`, a set whose projection is exact, and of a few balls.
//
// For a closed convex A, a ball around c and any direction d let x(s) = project_A(c + s d), s >= 0.
// |x(s) - c| never falls. With s the largest such that it is <= radius,
//   d = point - c, s <= 1:  x(s) is the projection of `point` onto A and the ball,
//   s < infinity:           x(s) maximises <d, x> over A and the ball,
// because c + s d - x(s) is normal to A at x(s), and x(s) - c is normal to the ball. A further ball
// takes A cut by the balls before it as its A; each costs some 10 to 60 projections onto that.
class BallCut {
 public:
  BallCut(std::shared_ptr<const ConvexSet> core, std::vector<EuclideanBall> balls);

  // By how much the nearest member of core and all balls but one misses that one: a common point
  // exists if that is 0, up to rounding.
  double shortfall() const;

  // For sets with a common point, up to rounding.
  Vector nearest(const Vector& point) const;
  CertifiedSupport support(const Vector& direction) const;

 private:
  // A nearest point with what pulls it away: point - nearest = core_normal + sum of ball_normals.
  struct Pull {
    Vector nearest;
    Vector core_normal;
    std::vector<Vector> ball_normals;
  };

  // Onto the core and the first `count` balls.
  Pull pull(const Vector& point, std::size_t count) const;
  CertifiedSupport support(const Vector& direction, std::size_t count) const;
  double gap_at(const Pull& pull, const Vector& direction, double s) const;
  bool is_inside(const EuclideanBall& ball, const Vector& point) const;
  double diameter() const;

  std::shared_ptr<const ConvexSet> core_;
  std::vector<EuclideanBall> balls_;
};

}  // namespace rgu
