// The last argument at which a nondecreasing function is not positive.
#pragma once

#include <algorithm>
#include <cmath>

#include "rgu/base/types.hpp"

namespace rgu {

// Where searches along a direction end, in sizes of the set: farther out, projections lose digits.
inline constexpr double kFarthest = 1e10;

// The largest s in [0, last] with f(s) <= 0, up to the last digits of s, where f never falls,
// f(0) <= 0 and f(last) > 0; 0 if it is below 1e-20 `first`. By regula falsi with the weights of
// Illinois, guarded by bisection, of exponents while the ends are orders of magnitude apart.
// first: a guess, > 0. f is called some 10 to 60 times, at most 200; f(s) <= 0 at the s that is
// returned.
template <class Function>
double last_nonpositive(const Function& f, double first, double last) {
  constexpr int kMostSteps = 200;
  double low = 0, high = last;
  double f_low = 0, f_high = 0;  // 0: not known
  double s = first > 0 && first < last ? first : 0.5 * last;
  int stays = 0;  // steps in a row that moved the lower end (> 0) or the upper one (< 0)
  for (int k = 0; k < kMostSteps && high - low > 2 * kEps * high; ++k) {
    const double value = f(s);
    if (value == 0) return s;
    if (value < 0) {
      if (stays > 0) f_high *= 0.5;
      stays = std::max(1, stays + 1);
      low = s;
      f_low = value;
    } else {
      if (stays < 0) f_low *= 0.5;
      stays = std::min(-1, stays - 1);
      high = s;
      f_high = value;
    }
    if (low == 0) {
      s = high / 16;
      if (s < 1e-20 * first) return 0;
    } else if (high > 16 * low) {
      s = std::sqrt(low) * std::sqrt(high);
    } else {
      const bool known = f_low < 0 && f_high > 0 && k % 4 != 3;
      s = known ? low - f_low * (high - low) / (f_high - f_low) : 0.5 * (low + high);
      if (!(s > low && s < high)) s = 0.5 * (low + high);
    }
  }
  return low;
}

// The same where no s with f(s) > 0 is known: looked for from `first` outward, at most to
// `farthest`. Where there is none, an s near that.
template <class Function>
double last_nonpositive_outward(const Function& f, double first, double farthest) {
  for (double last = first; last < farthest; first = last, last *= 16) {
    if (f(last) > 0) return last_nonpositive(f, first, last);
  }
  return first;
}

}  // namespace rgu
