// The worst feature map of the drift utility, by a search over one scalar.
#pragma once

#include "rgu/base/types.hpp"
#include "rgu/robustness/round_sets.hpp"

namespace rgu {

struct WorstMap {
  Matrix map;           // W: (d, d'), centre + a matrix of rank <= 1 and norm <= radius
  double bound = 0;     // no member has a smaller lmin
  double scale = 0;     // lmin(W0 M W0'), at the centre W0: what accuracy is relative to
  double rounding = 0;  // what rounding alone may change lmin by
};

// min over W in the ball of lmin(W M W'), M (d', d') symmetric positive semidefinite. For a unit
// vector u only u'W matters, so perturbations u v' with |v| <= radius are enough, and by strong
// duality
//   min = max over mu >= 0 of lmin(W0 K W0') - mu radius^2,  K = mu M (M + mu I)^-1,
// which is concave in mu. The minimiser is W0 + u v', v = -(M + mu I)^-1 M W0'u, with u in the
// eigenspace of that least eigenvalue such that |v| = radius. `bound` and lmin(W M W') agree to
// about 1e-12 of `scale`; the caller compares them. If the radius is at least the least singular
// value of W0 (on the range of M), both are 0.
WorstMap worst_map(const Matrix& moment, const MatrixBall& ball);

}  // namespace rgu
