// The nearest point on an l_p sphere, for p strictly between 1 and infinity.
#pragma once

#include "rgu/base/types.hpp"

namespace rgu {

struct LpSphere {
  double radius = 1;  // > 0
  double p = 2;       // 1 < p < infinity
};

// min |y - magnitude|_2 over y >= 0 with |y|_p = radius, for magnitude >= 0 outside the ball:
// |magnitude|_p > radius. The optimality system
//   y_i + nu y_i^(p-1) = magnitude_i (in units of the radius),  |y|_p = 1,  nu > 0
// is solved to a relative error of about 1e-13 (1e-15/(p-1) for p near 1).
Vector lp_sphere_projection(const Vector& magnitude, LpSphere sphere);

}  // namespace rgu
