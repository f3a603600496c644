// How far an interior-point method may go.
#pragma once

#include "rgu/base/types.hpp"

namespace rgu {

// The step, or a shorter one that keeps at + step by >= 0.
inline double shortened(double step, double at, double by) {
  return by < 0 && -at > step * by ? -at / by : step;
}

// The largest step <= 1 with point + step move >= 0, entry by entry.
template <class Entries>
double step_inside(const Entries& point, const Entries& move) {
  double step = 1;
  for (Index i = 0; i < point.size(); ++i) step = shortened(step, point.data()[i], move.data()[i]);
  return step;
}

}  // namespace rgu
