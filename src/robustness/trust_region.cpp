#include "rgu/robustness/trust_region.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

namespace rgu {

namespace {

// In the eigenvectors of H, with sigma = top eigenvalue + shift: y_j = g_j/(shift + below_j).
struct Secular {
  Eigen::ArrayXd slope;  // g
  Eigen::ArrayXd below;  // top eigenvalue - eigenvalue, >= 0

  Eigen::ArrayXd point(double shift) const {
    return (slope == 0).select(0.0, slope / (shift + below));
  }
};

// The shift with |y| = 1. 1/|y| is increasing and concave in the shift, so Newton's method for
// 1/|y| = 1 climbs from where |y| >= 1.
double unit_shift(const Secular& secular, double least) {
  double shift = std::max(least, (secular.slope.abs() - secular.below).maxCoeff());
  for (int k = 0; k < 200; ++k) {
    const Eigen::ArrayXd y = secular.point(shift);
    const double length = std::sqrt(y.square().sum());
    const Eigen::ArrayXd bent = (y == 0).select(0.0, y.square() / (shift + secular.below));
    const double step = (length - 1) * length * length / bent.sum();
    if (!(step > kEps * shift)) break;
    shift += step;
  }
  return shift;
}

}  // namespace

BallMaximum maximise_on_unit_ball(const Quadratic& function) {
  const SymmetricEigen eigen(function.hessian);
  const Vector& values = eigen.eigenvalues();
  const double top = values.maxCoeff();
  const Secular secular{.slope = (eigen.eigenvectors().transpose() * function.linear).array(),
                        .below = top - values.array()};
  double shift = std::max(0.0, -top);  // sigma = max(top, 0)
  Eigen::ArrayXd y = secular.point(shift);
  const double square = y.square().sum();
  if (!(square <= 1)) {
    shift = unit_shift(secular, shift);
    y = secular.point(shift);
    y /= std::sqrt(y.square().sum());
  } else if (top > 0) {
    // The hard case: along the top eigenvector, where g has nothing, to the boundary.
    y(y.size() - 1) += std::sqrt(1 - square);
  }
  const double dual = (secular.slope * secular.point(shift)).sum() + top + shift;
  return {.point = eigen.eigenvectors() * y.matrix(), .bound = function.constant + 0.5 * dual};
}

}  // namespace rgu
