// Singleton, box, simplex, capped orthant and ellipsoid: solved by hand, and what they refuse.
#include <gtest/gtest.h>

#include <cmath>

#include "ambiguity/helpers.hpp"
#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/ellipsoid.hpp"
#include "rgu/ambiguity/simplex.hpp"
#include "rgu/ambiguity/singleton.hpp"

namespace rgu {
namespace {

TEST(Singleton, EverythingLeadsToItsPoint) {
  const Singleton set(vec({1, 2}));
  EXPECT_EQ(set.project(vec({7, 7})), vec({1, 2}));
  EXPECT_EQ(set.support_point(vec({1, 0})), vec({1, 2}));
  EXPECT_EQ(set.normal_residual(vec({1, 2}), vec({5, 5})), 0);
  EXPECT_EQ(set.diameter(), 0);
  EXPECT_EQ(set.point(), vec({1, 2}));
}

TEST(Singleton, MayHaveNoDimensionForUtilitiesWithoutXi) {
  const Singleton set{Vector()};
  EXPECT_EQ(set.dimension(), 0);
  EXPECT_EQ(set.project(Vector()).size(), 0);
  EXPECT_EQ(set.normal_residual(Vector(), Vector()), 0.0);
  EXPECT_TRUE(contains(set, Vector()));
}

TEST(Singleton, BadPointsAreRefused) {
  EXPECT_THAT([] { Singleton{vec({1, kInfinity})}; }, refuses("point of the singleton[1] is inf"));
}

TEST(Box, IsSolvedByHand) {
  const Box set({.lower = vec({-1, 0, 2}), .upper = vec({1, 4, 2})});
  EXPECT_EQ(set.project(vec({3, 1, 9})), vec({1, 1, 2}));
  EXPECT_EQ(set.support_point(vec({-2, 0, 1})), vec({-1, 2, 2}));
  EXPECT_DOUBLE_EQ(set.diameter(), std::sqrt(4.0 + 16.0));
  // At (1, 1, 2): only the first coordinate may not grow, the third may not move.
  EXPECT_DOUBLE_EQ(set.normal_residual(vec({1, 1, 2}), vec({5, 3, 7})), 3);
  EXPECT_DOUBLE_EQ(set.normal_residual(vec({1, 1, 2}), vec({-4, 3, -7})), 5);
}

TEST(Box, MadeFromOneIntervalRepeatsIt) {
  const Box set = uniform_box(3, {.lower = -10, .upper = 10});
  EXPECT_EQ(set.lower(), Vector::Constant(3, -10));
  EXPECT_EQ(set.upper(), Vector::Constant(3, 10));
}

TEST(Box, BadBoundsAreRefused) {
  EXPECT_THAT(
      [] {
        Box({.lower = vec({0, 1, 3}), .upper = vec({1, 1, 2})});
      },
      refuses("box is empty in coordinate 2: lower 3 is above upper 2"));
  EXPECT_THAT(
      [] {
        Box({.lower = vec({0}), .upper = vec({1, 2})});
      },
      refuses("upper bound of the box has 2 entries, must have 1"));
  EXPECT_THAT([] { Box({.lower = vec({kNan}), .upper = vec({1})}); },
              refuses("lower bound of the box[0] is nan"));
  EXPECT_THAT([] { Box({.lower = vec({0}), .upper = vec({kInfinity})}); },
              refuses("upper bound of the box[0] is inf"));
  EXPECT_THAT([] { Box(Bounds{}); }, refuses("dimension of the box is 0"));
  EXPECT_THAT([] { uniform_box(0, {}); }, refuses("dimension of the box is 0"));
  EXPECT_THAT([] { uniform_box(-3, {}); }, refuses("dimension of the box is -3"));
}

// Nearest distribution to (0.5, 0.9, -0.3): max(x_i - t, 0). If two entries stay,
// 0.5 + 0.9 - 2 t = 1, so t = 0.2, and -0.3 is below it.
TEST(ProbabilitySimplex, ProjectsAsByHand) {
  EXPECT_THAT(ProbabilitySimplex(3).project(vec({0.5, 0.9, -0.3})),
              IsNear(vec({0.3, 0.7, 0}), 1e-15));
}

// Differences decide, not sizes: 1e15 and 1e15 - 0.5 are both exact numbers.
TEST(ProbabilitySimplex, ProjectsFarPointsExactly) {
  EXPECT_THAT(ProbabilitySimplex(3).project(vec({1e15 - 0.5, 0, 1e15})),
              IsNear(vec({0.25, 0, 0.75}), 1e-15));
}

TEST(ProbabilitySimplex, SupportPointsAreCornersOrUniform) {
  const ProbabilitySimplex set(4);
  EXPECT_EQ(set.support_point(vec({-3, -1, -1, -2})), Vector::Unit(4, 1));
  EXPECT_EQ(set.support_point(Vector::Zero(4)), Vector::Constant(4, 0.25));
}

// At (1/2, 1/2, 0) moves that keep the sum and do not lower the third entry are free. Of
// (1, 0, 0) that leaves (1/2, -1/2, 0). Of (0, 0, 1) it leaves (-1/3, -1/3, 2/3), and of its
// negative nothing that is allowed.
TEST(ProbabilitySimplex, NormalResidualsAreAsByHand) {
  const ProbabilitySimplex set(3);
  const Vector x = vec({0.5, 0.5, 0});
  EXPECT_NEAR(set.normal_residual(x, vec({1, 0, 0})), std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(set.normal_residual(x, vec({0, 0, 1})), std::sqrt(2.0 / 3), 1e-15);
  EXPECT_NEAR(set.normal_residual(x, vec({0, 0, -1})), 0, 1e-15);
  EXPECT_NEAR(set.normal_residual(x, vec({-7, -7, -7})), 0, 1e-15);
}

TEST(ProbabilitySimplex, NeedsADimension) {
  EXPECT_THAT([] { ProbabilitySimplex(0); },
              refuses("dimension of the probability simplex is 0, must be at least 1"));
}

TEST(CappedOrthant, ProjectsAsByHand) {
  const CappedOrthant set(3, 2);
  EXPECT_EQ(set.project(vec({0.5, -1, 1})), vec({0.5, 0, 1}));
  // The sum of the positive part is 4: 2.5 - t + 1.5 - t = 2 gives t = 1.
  EXPECT_THAT(set.project(vec({2.5, 1.5, -4})), IsNear(vec({1.5, 0.5, 0}), 1e-15));
  EXPECT_EQ(set.total(), 2);
}

TEST(CappedOrthant, SupportPointsAreCornersOrTheOrigin) {
  const CappedOrthant set(3, 2);
  EXPECT_EQ(set.support_point(vec({1, 3, 3})), vec({0, 2, 0}));
  EXPECT_EQ(set.support_point(vec({-1, 0, -3})), Vector::Zero(3));
}

TEST(CappedOrthant, NormalResidualsAreAsByHand) {
  const CappedOrthant set(3, 2);
  // Cap not active: entries at 0 may not fall.
  EXPECT_NEAR(set.normal_residual(vec({1, 0, 0}), vec({2, 3, -6})), std::sqrt(13.0), 1e-15);
  // Cap active at (2, 0, 0): normals (t, <= t, <= t). Of (1, 3, -5) the nearest has t = 2.
  EXPECT_NEAR(set.normal_residual(vec({2, 0, 0}), vec({1, 3, -5})), std::sqrt(2.0), 1e-15);
  EXPECT_NEAR(set.normal_residual(vec({2, 0, 0}), vec({4, 3, -5})), 0, 1e-15);
}

TEST(CappedOrthant, BadShapesAreRefused) {
  EXPECT_THAT([] { CappedOrthant(0, 1); }, refuses("dimension of the capped orthant is 0"));
  EXPECT_THAT([] { CappedOrthant(2, -1); }, refuses("total of the capped orthant is -1"));
  EXPECT_THAT([] { CappedOrthant(2, kNan); }, refuses("total of the capped orthant is nan"));
}

// x^2/4 + y^2 <= 1. The point (8/5, 3/5) is on the boundary (16/25 + 9/25); the outward normal
// there is (x/4, y) = (2/5, 3/5). Five times that further out lies (18/5, 18/5).
TEST(Ellipsoid, ProjectsAsByHand) {
  const Ellipsoid set(WeightedBall{.centre = vec({0, 0}), .weights = vec({0.25, 1}), .radius = 1});
  EXPECT_THAT(set.project(vec({3.6, 3.6})), IsNear(vec({1.6, 0.6}), 1e-15));
  EXPECT_THAT(set.project(vec({9, 0})), IsNear(vec({2, 0}), 1e-15));
  EXPECT_THAT(set.project(vec({0, -9})), IsNear(vec({0, -1}), 1e-15));
  EXPECT_EQ(set.project(vec({1.9, 0.1})), vec({1.9, 0.1}));
  EXPECT_DOUBLE_EQ(set.diameter(), 4);
}

// Q^-1 g = (12, 4) and g' Q^-1 g = 36 + 16 = 52 for g = (3, 4).
TEST(Ellipsoid, SupportPointsAreAsByHand) {
  const Vector centre = vec({1, -1});
  const Ellipsoid set(WeightedBall{.centre = centre, .weights = vec({0.25, 1}), .radius = 2});
  EXPECT_THAT(set.support_point(vec({3, 4})),
              IsNear(centre + 2 / std::sqrt(52.0) * vec({12, 4}), 1e-14));
  EXPECT_EQ(set.support_point(vec({0, 0})), centre);
}

TEST(Ellipsoid, NormalResidualsAreAsByHand) {
  const Ellipsoid set(WeightedBall{.centre = vec({0, 0}), .weights = vec({0.25, 1}), .radius = 1});
  EXPECT_NEAR(set.normal_residual(vec({1.6, 0.6}), vec({2, 3})), 0, 1e-14);
  EXPECT_NEAR(set.normal_residual(vec({1.6, 0.6}), vec({3, -2})), std::sqrt(13.0), 1e-14);
  EXPECT_NEAR(set.normal_residual(vec({1.6, 0.6}), vec({-2, -3})), std::sqrt(13.0), 1e-14);
  EXPECT_NEAR(set.normal_residual(vec({1, 0.6}), vec({2, 3})), std::sqrt(13.0), 1e-14);
}

// The same ellipse turned by 45 degrees: every answer turns with it.
TEST(Ellipsoid, TurnsWithItsMatrix) {
  const double c = std::sqrt(0.5);
  const Matrix turn = matrix(2, 2, {c, -c, c, c});
  const Ellipsoid set(QuadraticBall{.centre = vec({3, 1}),
                                    .matrix = turn * vec({0.25, 1}).asDiagonal() * turn.transpose(),
                                    .radius = 1});
  const Vector outside = vec({3, 1}) + turn * vec({3.6, 3.6});
  EXPECT_THAT(set.project(outside), IsNear(vec({3, 1}) + turn * vec({1.6, 0.6}), 1e-14));
  EXPECT_THAT(set.weights(), IsNear(vec({0.25, 1}), 1e-15));
}

TEST(Ellipsoid, ProjectionSurvivesExtremeLengthsAndWeights) {
  const Ellipsoid set(
      WeightedBall{.centre = vec({0, 0, 0}), .weights = vec({1e-8, 1, 1e8}), .radius = 1});
  for (const double far : {1e-3, 1.0, 1e5, 1e100, 1e200}) {
    const Vector y = set.project(far * vec({1, -2, 3}));
    EXPECT_NEAR(set.weights().dot(y.cwiseAbs2()), 1, 1e-12) << far;
    EXPECT_LE(set.normal_residual(y, vec({1, -2, 3}) - y / far), 1e-10) << far;
  }
}

TEST(Ellipsoid, BadShapesAreRefused) {
  const Vector two = vec({1, 2});
  EXPECT_THAT(
      [&] {
        Ellipsoid(WeightedBall{two, vec({1}), 1});
      },
      refuses("weights of the ellipsoid has 1 entries, must have 2"));
  EXPECT_THAT(
      [&] {
        Ellipsoid(WeightedBall{two, vec({1, 0}), 1});
      },
      refuses("weights of the ellipsoid[1] is 0, must be finite and > 0"));
  EXPECT_THAT(
      [&] {
        Ellipsoid(WeightedBall{two, vec({kNan, 1}), 1});
      },
      refuses("weights of the ellipsoid[0] is nan"));
  EXPECT_THAT(
      [&] {
        Ellipsoid(WeightedBall{two, two, -0.5});
      },
      refuses("radius of the ellipsoid is -0.5"));
  EXPECT_THAT(
      [&] {
        Ellipsoid(WeightedBall{vec({0, kNan}), two, 1});
      },
      refuses("centre of the ellipsoid[1] is nan"));
  EXPECT_THAT([&] { Ellipsoid(WeightedBall{}); }, refuses("dimension of the ellipsoid is 0"));
}

TEST(Ellipsoid, BadMatricesAreRefused) {
  const auto with = [](const Matrix& matrix) {
    Ellipsoid(QuadraticBall{.centre = vec({0, 0}), .matrix = matrix, .radius = 1});
  };
  EXPECT_THAT([&] { with(Matrix::Identity(3, 3)); },
              refuses("matrix of the ellipsoid is 3 x 3, must be 2 x 2"));
  EXPECT_THAT(
      [&] {
        with(matrix(2, 2, {1, 0.5, 0, 1}));
      },
      refuses("0 at [1, 0] but 0.5 at [0, 1], must be symmetric"));
  EXPECT_THAT([&] { with(matrix(2, 2, {1, 2, 2, 1})); }, refuses("must be positive definite"));
  EXPECT_THAT([&] { with(matrix(2, 2, {1, 1, 1, 1})); }, refuses("must be positive definite"));
  EXPECT_THAT([&] { with(Matrix::Zero(2, 2)); }, refuses("eigenvalue 0, must be positive"));
  EXPECT_THAT([&] { with(matrix(2, 2, {1, 0, 0, kNan})); }, refuses("[1, 1] is nan"));
}

}  // namespace
}  // namespace rgu
