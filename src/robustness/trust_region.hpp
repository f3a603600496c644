// The maximum of a quadratic function over the unit ball.
#pragma once

#include "rgu/base/types.hpp"

namespace rgu {

// constant + linear'y + y' hessian y / 2, the Hessian symmetric, of any signs.
struct Quadratic {
  double constant = 0;
  Vector linear;
  Eigen::MatrixXd hessian;

  double at(const Vector& y) const { return constant + linear.dot(y) + 0.5 * y.dot(hessian * y); }
};

struct BallMaximum {
  Vector point;
  double bound = 0;  // no point of the unit ball has more; equal to the value up to rounding
};

// max over |y| <= 1, globally, although the function need not be concave: y is a maximiser exactly
// when (sigma I - H) y = g for a sigma >= max(0, the largest eigenvalue of H), and |y| = 1 or
// sigma = 0 [MoreSorensen1983]. The root sigma by Newton's method after one eigendecomposition;
// the bound is the dual value (g'(sigma I - H)^-1 g + sigma)/2.
BallMaximum maximise_on_unit_ball(const Quadratic& function);

}  // namespace rgu
