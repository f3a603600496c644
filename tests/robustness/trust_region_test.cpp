#include "rgu/robustness/trust_region.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "rgu/base/rng.hpp"

namespace rgu {
namespace {

void expect_maximum(const Quadratic& function, double value) {
  const BallMaximum best = maximise_on_unit_ball(function);
  EXPECT_LE(best.point.norm(), 1 + 1e-12);
  EXPECT_NEAR(function.at(best.point), value, 1e-12);
  EXPECT_NEAR(best.bound, value, 1e-12);
}

Quadratic diagonal(double constant, const Vector& linear, const Vector& curvature) {
  return {constant, linear, curvature.asDiagonal()};
}

// Where the function is linear: constant + |g|.
TEST(TrustRegion, OfALinearFunctionIsTheSupportPoint) {
  expect_maximum(diagonal(1, Vector{{3, -4}}, Vector{{0, 0}}), 6);
}

// 2 + y - y^2 in one dimension: largest at y = 1/2, inside.
TEST(TrustRegion, OfAConcaveFunctionMayBeInside) {
  expect_maximum(diagonal(2, Vector{{1}}, Vector{{-2}}), 2.25);
}

// 4 y - y^2: largest at y = 2, cut to 1.
TEST(TrustRegion, OfAConcaveFunctionMayBeOnTheBoundary) {
  expect_maximum(diagonal(0, Vector{{4}}, Vector{{-2}}), 3);
}

// The hard case: H = diag(0, 2), g = (1, 0). With y = (sin t, cos t): sin t + cos^2 t, largest at
// sin t = 1/2: 5/4. The gradient has nothing along the top eigenvector.
TEST(TrustRegion, SolvesTheHardCase) {
  expect_maximum(diagonal(0, Vector{{1, 0}}, Vector{{0, 2}}), 1.25);
  // Next to it, where the shift is as small as the slope.
  expect_maximum(diagonal(0, Vector{{1, 1e-14}}, Vector{{0, 2}}), 1.25);
  expect_maximum(diagonal(0, Vector{{1, 0, 1e-17}}, Vector{{0, 2, 2}}), 1.25);
}

// H = diag(0, 2) but g = (4, 0): sin t = 2 is out of reach, so y = (1, 0).
TEST(TrustRegion, LeavesTheTopEigenvectorWhereTheSlopeIsLarge) {
  expect_maximum(diagonal(0, Vector{{4, 0}}, Vector{{0, 2}}), 4);
}

TEST(TrustRegion, OfNothingIsTheConstant) {
  expect_maximum(diagonal(7, Vector{{0, 0}}, Vector{{0, 0}}), 7);
  expect_maximum(diagonal(7, Vector{{0, 0}}, Vector{{-1, 0}}), 7);
  expect_maximum(diagonal(7, Vector{{0, 0}}, Vector{{-1, 4}}), 9);
}

TEST(TrustRegion, MeetsItsBoundAndNoPointBeatsIt) {
  Rng rng(3);
  for (int k = 0; k < 200; ++k) {
    const Index n = 1 + static_cast<Index>(rng.below(6));
    const Eigen::MatrixXd square = normal_vector(n * n, rng).reshaped(n, n);
    const double size = std::exp(4 * rng.normal());
    const Quadratic function{rng.normal(), size * normal_vector(n, rng),
                             square + square.transpose()};
    const BallMaximum best = maximise_on_unit_ball(function);
    const double scale = 1 + size + function.hessian.norm();
    ASSERT_LE(best.point.norm(), 1 + 1e-12);
    ASSERT_NEAR(function.at(best.point), best.bound, 1e-12 * scale);
    for (int j = 0; j < 100; ++j) {
      const Vector other = rng.uniform() * normal_vector(n, rng).normalized();
      ASSERT_LE(function.at(other), best.bound + 1e-12 * scale);
    }
  }
}

}  // namespace
}  // namespace rgu
