// Independent intervals: {x : lower <= x <= upper}.
#pragma once

#include "rgu/ambiguity/bounds.hpp"
#include "rgu/base/convex_set.hpp"

namespace rgu {

class Box final : public ConvexSet {
 public:
  // Throws InvalidInput unless both bounds are finite, of one length >= 1, and lower <= upper in
  // every coordinate; the message names the first coordinate that is empty.
  explicit Box(Bounds bounds);

  const Vector& lower() const { return bounds_.lower; }
  const Vector& upper() const { return bounds_.upper; }

  Vector project(const Vector& point) const override;
  // Where the direction is zero: the middle of that interval.
  Vector support_point(const Vector& direction) const override;
  double diameter() const override;  // exact
  double normal_residual(const Vector& point, const Vector& direction) const override;

 private:
  Bounds bounds_;
};

// The box with the same interval in every coordinate.
struct Interval {
  double lower = 0;
  double upper = 0;
};
Box uniform_box(Index dimension, Interval interval);

}  // namespace rgu
