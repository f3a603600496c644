#include "rgu/ambiguity/polytope.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "ambiguity/helpers.hpp"
#include "rgu/ambiguity/linear_program.hpp"

namespace rgu {
namespace {

// x >= 0, y >= 0, x + y <= 1.
Polytope triangle() { return Polytope(matrix(3, 2, {-1, 0, 0, -1, 1, 1}), vec({0, 0, 1})); }

TEST(Polytope, ProjectsAsByHand) {
  const Polytope set = triangle();
  EXPECT_EQ(set.project(vec({0.25, 0.5})), vec({0.25, 0.5}));              // interior
  EXPECT_THAT(set.project(vec({1, 1})), IsNear(vec({0.5, 0.5}), 1e-15));   // long edge
  EXPECT_THAT(set.project(vec({0.3, -2})), IsNear(vec({0.3, 0}), 1e-15));  // bottom edge
  EXPECT_THAT(set.project(vec({2, -0.5})), IsNear(vec({1, 0}), 1e-15));    // corner
  EXPECT_THAT(set.project(vec({-3, -4})), IsNear(vec({0, 0}), 1e-15));     // corner
  EXPECT_THAT(set.project(vec({-1e9, 5e8})), IsNear(vec({0, 1}), 1e-15));  // corner, far away
  EXPECT_THAT(set.project(vec({-2e200, 1e200})), IsNear(vec({0, 1}), 1e-15));
}

TEST(Polytope, SupportPointsAreAsByHand) {
  const Polytope set = triangle();
  EXPECT_THAT(set.support_point(vec({3, 2})), IsNear(vec({1, 0}), 1e-15));
  EXPECT_THAT(set.support_point(vec({-1e-9, 1e-9})), IsNear(vec({0, 1}), 1e-15));
  EXPECT_THAT(set.support_point(vec({-1e9, -1e8})), IsNear(vec({0, 0}), 1e-15));
}

// Without any extent there is no unit to be accurate in: the answers are exact.
TEST(Polytope, OfOnePointAtTheOriginIsExactlyThat) {
  const Polytope set(matrix(3, 2, {-1, 0, 0, -1, 1, 1}), vec({0, 0, 0}));
  for (const double size : {1e-9, 1.0, 1e9}) {
    EXPECT_EQ(set.support_point(vec({size, -2 * size})), vec({0, 0}));
    EXPECT_EQ(set.project(vec({size, 3 * size})), vec({0, 0}));
  }
}

// The centre of the inscribed circle: (t, t) with t = (1 - 2 t)/sqrt(2), t = 1/(2 + sqrt(2)).
TEST(Polytope, CentreIsTheDeepestPoint) {
  const double t = 1 / (2 + std::sqrt(2.0));
  EXPECT_THAT(triangle().centre(), IsNear(vec({t, t}), 1e-12));
  EXPECT_EQ(triangle().support_point(vec({0, 0})), triangle().centre());
}

TEST(Polytope, DiameterIsTheDiagonalOfTheSmallestBox) {
  EXPECT_THAT(triangle().lower(), IsNear(vec({0, 0}), 1e-15));
  EXPECT_THAT(triangle().upper(), IsNear(vec({1, 1}), 1e-15));
  EXPECT_NEAR(triangle().diameter(), std::sqrt(2.0), 1e-15);
  // |x| + |y| <= 1 has diameter 2; its box has the diagonal 2 sqrt(2).
  const Polytope diamond(matrix(4, 2, {1, 1, 1, -1, -1, 1, -1, -1}), Vector::Ones(4));
  EXPECT_NEAR(diamond.diameter(), 2 * std::sqrt(2.0), 1e-11);
}

// On the long edge the normals are t (1, 1). At the corner (1, 0) they are spanned by (0, -1) and
// (1, 1): of (0, 1) the nearest is (1/2, 1/2).
TEST(Polytope, NormalResidualsAreAsByHand) {
  const Polytope set = triangle();
  EXPECT_NEAR(set.normal_residual(vec({0.5, 0.5}), vec({1, 0})), std::sqrt(0.5), 1e-14);
  EXPECT_NEAR(set.normal_residual(vec({1, 0}), vec({0, 1})), std::sqrt(0.5), 1e-14);
  EXPECT_NEAR(set.normal_residual(vec({1, 0}), vec({1, -5})), 0, 1e-14);
  EXPECT_NEAR(set.normal_residual(vec({1, 0}), vec({-3, 0})), 3, 1e-14);
  EXPECT_NEAR(set.normal_residual(vec({0.2, 0.2}), vec({3, 4})), 5, 1e-14);
  EXPECT_EQ(set.normal_residual(vec({1, 0}), vec({0, 0})), 0);
}

// Tolerances are relative: the triangle scaled by s gives the answers scaled by s.
TEST(Polytope, SizeDoesNotMatter) {
  for (const double s : {1e-9, 1e-3, 1e6, 1e12}) {
    const Polytope set(matrix(3, 2, {-1, 0, 0, -1, 1, 1}), vec({0, 0, s}));
    EXPECT_THAT(set.project(vec({s, s})) / s, IsNear(vec({0.5, 0.5}), 1e-14)) << s;
    EXPECT_THAT(set.support_point(vec({1, 2})) / s, IsNear(vec({0, 1}), 1e-14)) << s;
    EXPECT_NEAR(set.diameter() / s, std::sqrt(2.0), 1e-9) << s;
    EXPECT_NEAR(set.normal_residual(vec({0.5 * s, 0.5 * s}), vec({1, 0})), std::sqrt(0.5), 1e-14);
  }
}

TEST(Polytope, LengthsOfRowsDoNotMatter) {
  const Polytope set(matrix(3, 2, {-1e-6, 0, 0, -1e8, 5, 5}), vec({0, 0, 5}));
  EXPECT_THAT(set.project(vec({1, 1})), IsNear(vec({0.5, 0.5}), 1e-14));
  EXPECT_THAT(set.project(vec({-1, 0.5})), IsNear(vec({0, 0.5}), 1e-14));
  EXPECT_EQ(set.normals()(2, 0), 5);
  EXPECT_EQ(set.offsets()(2), 5);
}

// Bounds that stand for infinity, and stand far from the rest.
TEST(Polytope, HugeOffsetsOfNeedlessRowsDoNotMatter) {
  Matrix normals(7, 2);
  normals << -1, 0, 0, -1, 1, 1, both_signs(Matrix::Identity(2, 2));
  const Polytope set(normals, vec({0, 0, 1, 1e15, 1e9, 1e12, 1e6}));
  EXPECT_THAT(set.project(vec({1, 1})), IsNear(vec({0.5, 0.5}), 1e-15));
  EXPECT_THAT(set.support_point(vec({1, 2})), IsNear(vec({0, 1}), 1e-15));
  EXPECT_NEAR(set.diameter(), std::sqrt(2.0), 1e-9);
  EXPECT_NEAR(set.normal_residual(vec({0.5, 0.5}), vec({1, 0})), std::sqrt(0.5), 1e-14);
  EXPECT_NEAR(set.normal_residual(vec({1e-6, 0.5}), vec({-1, 0})), 1, 1e-14);
  EXPECT_LE((normals * set.centre() - set.offsets()).maxCoeff(), 0);
  // x + y <= 1 and x >= 2 contradict each other by far less than the largest offset.
  EXPECT_THAT(
      [&] {
        Polytope(normals, vec({-2, 0, 1, 1e15, 1e9, 1e12, 1e6}));
      },
      refuses("infeasible: rows 0, 1, 2 cannot hold together"));
}

// x <= 0.3 and x >= 0.1 + 0.2, which in binary is larger.
TEST(Polytope, ContradictionsWithinRoundingAreAccepted) {
  const Polytope set(matrix(2, 1, {1, -1}), vec({0.3, -(0.1 + 0.2)}));
  EXPECT_NEAR(set.project(vec({7}))(0), 0.3, 1e-15);
  EXPECT_THAT(
      [] {
        Polytope(matrix(2, 1, {1, -1}), vec({0.3, -0.3 - 1e-9}));
      },
      refuses("infeasible: rows 0, 1"));
}

// x <= 1 and x >= 2 contradict each other; y is fine.
TEST(Polytope, InfeasibleRowsAreRefusedByName) {
  const Matrix normals = matrix(4, 2, {0, 1, 1, 0, 0, -1, -1, 0});
  EXPECT_THAT(
      [&] {
        Polytope(normals, vec({1, 1, 1, -2}));
      },
      refuses("polytope is infeasible: rows 1, 3 cannot hold together, every point is at "
              "least 0.5 outside one of them"));
  EXPECT_THAT(
      [] {
        Polytope(matrix(2, 1, {1, 0}), vec({1, -3}));
      },
      refuses("infeasible: row 1 is zero and its offset -3 is below 0"));
  // Three half-planes around a triangle, all pointing outwards.
  EXPECT_THAT(
      [] {
        Polytope(matrix(3, 2, {1, 0, 0, 1, -1, -1}), vec({0, 0, -1}));
      },
      refuses("infeasible: rows 0, 1, 2 cannot hold together"));
}

TEST(Polytope, UnboundedSetsAreRefusedWithADirection) {
  EXPECT_THAT(
      [] {
        Polytope(matrix(3, 2, {1, 0, -1, 0, 0, -1}), vec({1, 1, 1}));
      },
      refuses("polytope is unbounded: coordinate 1 goes to +infinity along the direction "
              "[0, 1]"));
  EXPECT_THAT([] { Polytope(matrix(1, 1, {1}), vec({0})); },
              refuses("coordinate 0 goes to -infinity along the direction [-1]"));
  // The strip |x - y| <= 1, open along the diagonal.
  EXPECT_THAT(
      [] {
        Polytope(matrix(2, 2, {1, -1, -1, 1}), vec({1, 1}));
      },
      refuses("coordinate 0 goes to +infinity along the direction [1, 1]"));
  EXPECT_THAT([] { Polytope(matrix(1, 2, {0, 0}), vec({0})); }, refuses("polytope is unbounded"));
}

TEST(Polytope, BadDataAreRefused) {
  EXPECT_THAT(
      [] {
        Polytope(Matrix(3, 0), vec({1, 1, 1}));
      },
      refuses("dimension of the polytope is 0"));
  EXPECT_THAT([] { Polytope(Matrix(0, 3), Vector()); },
              refuses("number of rows of the polytope is 0"));
  EXPECT_THAT([] { Polytope(Matrix::Ones(2, 2), vec({1})); },
              refuses("offsets of the polytope has 1 entries, must have 2"));
  EXPECT_THAT(
      [] {
        Polytope(matrix(1, 2, {1, kNan}), vec({1}));
      },
      refuses("normals of the polytope[0, 1] is nan"));
  EXPECT_THAT([] { Polytope(matrix(1, 1, {1}), vec({kInfinity})); },
              refuses("offsets of the polytope[0] is inf"));
}

TEST(Polytope, NothingIsPrinted) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  triangle().support_point(vec({1, 0}));
  EXPECT_THROW(Polytope(matrix(2, 1, {1, -1}), vec({0, -1})), InvalidInput);
  EXPECT_THROW(Polytope(matrix(1, 1, {1}), vec({0})), InvalidInput);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// max 3 x + 2 y, x + y <= 4, x + 3 y <= 9, 0 <= x <= 3, y >= 0. At (3, 1) the first row and x <= 3
// are active: (3, 2) = 2 (1, 1) + 1 (1, 0).
TEST(LinearProgram, SolvesAsByHandAndAgainWithAnotherObjective) {
  LinearProgram program({.rows = matrix(2, 2, {1, 1, 1, 3}),
                         .offsets = vec({4, 9}),
                         .columns = {.lower = vec({0, 0}), .upper = vec({3, kInfinity})}});
  const LinearProgramSolution first = program.maximise(vec({3, 2}));
  EXPECT_THAT(first.point, IsNear(vec({3, 1}), 1e-12));
  EXPECT_THAT(first.multipliers, IsNear(vec({2, 0}), 1e-12));
  EXPECT_THAT(program.maximise(vec({0, 1})).point, IsNear(vec({0, 3}), 1e-12));
}

TEST(LinearProgram, ThrowsWithoutAMaximum) {
  LinearProgram open({.rows = matrix(1, 1, {-1}),
                      .offsets = vec({0}),
                      .columns = {.lower = vec({-kInfinity}), .upper = vec({kInfinity})}});
  EXPECT_THAT([&] { open.maximise(vec({1})); },
              testing::ThrowsMessage<NotConverged>(
                  testing::HasSubstr("1 rows and 1 columns ended without an optimum")));
}

}  // namespace
}  // namespace rgu
