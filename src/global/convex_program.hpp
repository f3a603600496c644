// Separable convex programs: what the minimum of an envelope is, once its maximum over xi is
// written out by duality.
#pragma once

#include <vector>

#include "rgu/base/types.hpp"

namespace rgu {

// A convex function of one variable x >= 0.
struct SmoothTerm {
  enum class Kind {
    kEntropy,  // weight x log(x + parameter), parameter > 0
    kSquare,   // (weight / 2) (x - parameter)^2
  };
  Kind kind = Kind::kSquare;
  Index variable = 0;
  double weight = 1;  // >= 0
  double parameter = 0;

  double value(double x) const;
  double slope(double x) const;
  double curvature(double x) const;
};

// minimise   <cost, x> + the smooth terms + price t
// subject to rows x = right, x_j >= 0 unless is_free[j], and x_j <= t for j < capped.
// t is a variable only where capped > 0.
struct ConvexProgram {
  SparseMatrix rows;  // (m, n)
  Vector right;       // (m)
  Vector cost;        // (n)
  std::vector<char> is_free;
  std::vector<SmoothTerm> smooth;
  Index capped = 0;
  double price = 0;  // >= 0
};

// A point with its multipliers: cost + smooth slopes - rows'y + ceilings >= 0.
struct ProgramPoint {
  Vector x;            // (n)
  Vector multipliers;  // y: (m)
  Vector ceilings;     // (capped), >= 0, summing to price at the optimum
};

}  // namespace rgu
