// Arithmetic of upper bounds in [0, infinity], where infinity means that no bound exists. A factor
// that is exactly 0 wins: what it multiplies does not enter at all.
#pragma once

#include <cmath>
#include <limits>
#include <string_view>

#include "rgu/base/check.hpp"

namespace rgu {

inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

inline double bound_product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

// 0/0 = 0; a/0 = infinity for a > 0; infinity/b = infinity.
inline double bound_quotient(double a, double b) {
  if (a == 0 || std::isinf(a)) return a;
  return b == 0 ? kUnbounded : a / b;
}

inline double squared(double a) { return a * a; }

// Throws InvalidInput unless value >= 0; infinity is allowed, NaN is not.
inline void check_bound(std::string_view name, double value) {
  check(value >= 0, "{} is {}, must be >= 0 (infinity: no bound)", name, value);
}

// Throws InvalidInput unless K is a whole number >= 1. A double, because guarantees may need more
// iterations than an integer holds.
inline void check_iterations(double iterations) {
  check(std::isfinite(iterations) && iterations >= 1 && std::floor(iterations) == iterations,
        "iterations is {}, must be a whole number >= 1", iterations);
}

}  // namespace rgu
