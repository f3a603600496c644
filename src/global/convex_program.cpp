#include "rgu/global/convex_program.hpp"

#include <cmath>

namespace rgu {

double SmoothTerm::value(double x) const {
  if (kind == Kind::kEntropy) return weight * x * std::log(x + parameter);
  return 0.5 * weight * (x - parameter) * (x - parameter);
}

double SmoothTerm::slope(double x) const {
  if (kind == Kind::kEntropy) return weight * (std::log(x + parameter) + x / (x + parameter));
  return weight * (x - parameter);
}

double SmoothTerm::curvature(double x) const {
  if (kind == Kind::kSquare) return weight;
  const double lifted = x + parameter;
  return weight * (1 / lifted + parameter / (lifted * lifted));
}

}  // namespace rgu
