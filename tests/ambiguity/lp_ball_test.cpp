#include "rgu/ambiguity/lp_ball.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ambiguity/helpers.hpp"

namespace rgu {
namespace {

LpBall ball(const Vector& centre, double radius, double p) {
  return LpBall({.centre = centre, .radius = radius, .p = p});
}

// Nearest point to (0.8, -0.6, 0.1) in |x|_1 <= 1. With a threshold t the solution is
// sign(x_i) max(|x_i| - t, 0). If two entries stay: 0.8 + 0.6 - 2 t = 1, so t = 0.2, and indeed the
// third, 0.1, is below it. Solution (0.6, -0.4, 0).
TEST(LpBall, ProjectsOntoTheDiamondAsByHand) {
  EXPECT_THAT(ball(Vector::Zero(3), 1, 1).project(vec({0.8, -0.6, 0.1})),
              IsNear(vec({0.6, -0.4, 0}), 1e-15));
  // Moved by the centre (5, 5, 5) and doubled.
  EXPECT_THAT(ball(Vector::Constant(3, 5), 2, 1).project(vec({6.6, 3.8, 5.2})),
              IsNear(vec({6.2, 4.2, 5}), 1e-14));
}

TEST(LpBall, ProjectsOntoTheEuclideanBallAndTheCubeAsByHand) {
  EXPECT_THAT(ball(vec({1, 0}), 2.5, 2).project(vec({4, 4})), IsNear(vec({2.5, 2}), 1e-15));
  EXPECT_THAT(ball(vec({1, 0}), 2, kInfinity).project(vec({4, -1})), IsNear(vec({3, -1}), 0));
}

// By symmetry the nearest point to (a, a) has equal entries: 2 y^p = 1.
TEST(LpBall, ProjectsTheDiagonalOntoTheDiagonal) {
  for (const double p : {1.01, 1.5, 3.0, 50.0}) {
    const double y = std::pow(0.5, 1 / p);
    EXPECT_THAT(ball(Vector::Zero(2), 1, p).project(vec({7, -7})), IsNear(vec({y, -y}), 1e-13))
        << "p = " << p;
  }
}

// For y on the sphere with outward normal n, n_i = sign(y_i) |y_i|^(p-1), the nearest point to
// y + nu n is y for every nu >= 0: near points and far points, with a zero coordinate.
class LpBallRoot : public testing::TestWithParam<double> {};

TEST_P(LpBallRoot, ReturnsThePointThatTheOutsidePointWasBuiltFrom) {
  const double p = GetParam();
  for (const double radius : {1e-6, 1.0, 1e6}) {
    for (const double nu : {1e-12, 1e-6, 1e-2, 1.0, 1e2, 1e6}) {
      Vector y = irregular(8, 17);
      y(3) = 0;
      y *= 1 / lp_norm(y, p);
      const Vector normal = y.array().sign() * y.array().abs().pow(p - 1);
      const Vector nearest = ball(Vector::Zero(8), radius, p).project(radius * (y + nu * normal));
      EXPECT_THAT(nearest / radius, IsNear(y, 1e-14 * (10 + nu))) << nu << " " << radius;
      EXPECT_NEAR(lp_norm(nearest, p) / radius, 1, 1e-14);
      EXPECT_EQ(nearest(3), 0);
    }
  }
}

// The optimality system y_i + nu sign(y_i) |y_i|^(p-1) = x_i, in long double.
TEST_P(LpBallRoot, SolvesTheOptimalitySystemTo1e12) {
  const long double p = GetParam();
  Rng rng(3);
  for (int k = 0; k < 100; ++k) {
    const Vector x = std::pow(10.0, k % 10) * normal_vector(7, rng);
    const Vector y = ball(Vector::Zero(7), 0.9, GetParam()).project(x);
    Index top = 0;
    y.cwiseAbs().maxCoeff(&top);
    const auto slope = [p](long double v) {
      return std::copysign(std::pow(std::abs(v), p - 1), v);
    };
    const long double nu = (static_cast<long double>(x(top)) - y(top)) / slope(y(top));
    ASSERT_GE(nu, 0);
    for (Index i = 0; i < 7; ++i) {
      if (y(i) == 0.0) continue;  // below the smallest double
      EXPECT_NEAR(static_cast<double>((y(i) + nu * slope(y(i))) / x(i)), 1, 1e-12);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Exponents, LpBallRoot,
                         testing::Values(1.01, 1.1, 1.5, 1.99, 2.01, 3.0, 7.0, 50.0, 500.0));

TEST(LpBall, ProjectionSurvivesExtremeLengths) {
  for (const double p : {1.0, 1.01, 2.0, 3.0, 50.0, kInfinity}) {
    for (const double radius : {1e-150, 1.0, 1e150}) {
      const LpBall set = ball(Vector::Zero(3), radius, p);
      const Vector nearest = set.project(vec({1e200, -1e200, 0}));
      EXPECT_NEAR(lp_norm(nearest, p) / radius, 1, 1e-12) << p << " " << radius;
      EXPECT_NEAR(nearest(0) / nearest(1), -1, 1e-12);
      EXPECT_EQ(nearest(2), 0);
    }
  }
}

TEST(LpBall, PointsInsideAreReturnedExactly) {
  for (const double p : {1.0, 1.5, 2.0, 50.0, kInfinity}) {
    const Vector x = vec({0.3, -0.1, 0.2});
    EXPECT_EQ(ball(Vector::Zero(3), 1, p).project(x), x);
  }
}

// p = 3, q = 3/2: sign(g_i) |g_i|^(1/2) / |g|_q^(1/2). For g = (4, -9, 0):
// |g|_q = (8 + 27)^(2/3), so the point is (2, -3, 0) / 35^(1/3).
TEST(LpBall, SupportPointsAreAsByHand) {
  const Vector centre = vec({1, 1, 1});
  const Vector g = vec({4, -9, 0});
  EXPECT_THAT(ball(centre, 2, 3).support_point(g),
              IsNear(centre + 2 / std::cbrt(35.0) * vec({2, -3, 0}), 1e-14));
  EXPECT_THAT(ball(centre, 2, 2).support_point(vec({0, 3, -4})),
              IsNear(vec({1, 2.2, -0.6}), 1e-14));
  EXPECT_THAT(ball(centre, 2, 1).support_point(vec({5, -9, 9})), IsNear(vec({1, -1, 1}), 0));
  EXPECT_THAT(ball(centre, 2, kInfinity).support_point(g), IsNear(vec({3, -1, 1}), 0));
}

TEST(LpBall, SupportPointOfTheZeroDirectionIsTheCentre) {
  for (const double p : {1.0, 1.5, 2.0, kInfinity}) {
    EXPECT_EQ(ball(vec({3, -1}), 2, p).support_point(Vector::Zero(2)), vec({3, -1}));
  }
}

TEST(LpBall, DiametersAreAsByHand) {
  EXPECT_DOUBLE_EQ(ball(Vector::Zero(16), 3, 1).diameter(), 6);
  EXPECT_DOUBLE_EQ(ball(Vector::Zero(16), 3, 2).diameter(), 6);
  EXPECT_DOUBLE_EQ(ball(Vector::Zero(16), 3, 4).diameter(), 12);  // 2 * 3 * 16^(1/4)
  EXPECT_DOUBLE_EQ(ball(Vector::Zero(16), 3, kInfinity).diameter(), 24);
}

// Euclidean: at (1, 0) the normals are t (1, 0). Diamond: at its corner (1, 0) they are t (1, v)
// with |v| <= 1; of (1, 3) the nearest is 2 (1, 1), at distance sqrt(1 + 1).
TEST(LpBall, NormalResidualsAreAsByHand) {
  const LpBall disc = ball(Vector::Zero(2), 1, 2);
  EXPECT_NEAR(disc.normal_residual(vec({1, 0}), vec({3, 4})), 4, 1e-13);
  EXPECT_NEAR(disc.normal_residual(vec({1, 0}), vec({-3, 4})), 5, 1e-14);
  EXPECT_NEAR(disc.normal_residual(vec({0.9, 0}), vec({3, 4})), 5, 1e-14);
  const LpBall diamond = ball(Vector::Zero(2), 1, 1);
  EXPECT_NEAR(diamond.normal_residual(vec({1, 0}), vec({1, 3})), std::sqrt(2.0), 1e-14);
  EXPECT_NEAR(diamond.normal_residual(vec({1, 0}), vec({3, 1})), 0, 1e-14);
  EXPECT_NEAR(diamond.normal_residual(vec({0.5, 0.5}), vec({1, 0})), std::sqrt(0.5), 1e-14);
  EXPECT_NEAR(ball(vec({2, 2}), 0, 3).normal_residual(vec({2, 2}), vec({1, 0})), 0, 0);
}

// At points without small coordinates even p = 1.01 is smooth: distance from the ray of the normal.
TEST(LpBall, NormalResidualIsTheDistanceFromTheRayOfTheNormal) {
  for (const double p : {1.01, 1.5, 3.0, 50.0}) {
    Vector y = vec({0.5, -0.6, 0.7});
    y /= lp_norm(y, p);
    const Vector n = (y.array().sign() * y.array().abs().pow(p - 1)).matrix().normalized();
    const Vector g = vec({1, 0.3, -0.2});
    const double along = std::max(0.0, g.dot(n));
    EXPECT_NEAR(ball(Vector::Zero(3), 4, p).normal_residual(4 * y, g), (g - along * n).norm(),
                1e-11);
  }
}

TEST(LpBall, TellsItsShape) {
  const LpBall set = ball(vec({1, 2}), 3, 1.5);
  EXPECT_EQ(set.centre(), vec({1, 2}));
  EXPECT_EQ(set.radius(), 3);
  EXPECT_EQ(set.p(), 1.5);
  EXPECT_EQ(set.dimension(), 2);
}

TEST(LpBall, BadShapesAreRefused) {
  const Vector centre = vec({0, 0});
  EXPECT_THAT([&] { ball(centre, -1, 2); }, refuses("radius of the l_p ball is -1, must be"));
  EXPECT_THAT([&] { ball(centre, kNan, 2); }, refuses("radius of the l_p ball is nan"));
  EXPECT_THAT([&] { ball(centre, kInfinity, 2); }, refuses("radius of the l_p ball is inf"));
  EXPECT_THAT([&] { ball(centre, 1, 0.99); },
              refuses("p of the l_p ball is 0.99, must be in [1, inf]"));
  EXPECT_THAT([&] { ball(centre, 1, kNan); }, refuses("p of the l_p ball is nan"));
  EXPECT_THAT([&] { ball(vec({0, kNan}), 1, 2); }, refuses("centre of the l_p ball[1] is nan"));
  EXPECT_THAT([&] { ball(Vector(), 1, 2); }, refuses("dimension of the l_p ball is 0"));
}

}  // namespace
}  // namespace rgu
