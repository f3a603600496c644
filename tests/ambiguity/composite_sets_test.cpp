// Products and intersections: solved by hand or by another method, and what they refuse.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "ambiguity/helpers.hpp"
#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/intersection_set.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/polytope.hpp"
#include "rgu/ambiguity/product_set.hpp"
#include "rgu/ambiguity/simplex.hpp"
#include "rgu/ambiguity/singleton.hpp"

namespace rgu {
namespace {

using SetPointer = std::shared_ptr<const ConvexSet>;

SetPointer disc(const Vector& centre, double radius) {
  return std::make_shared<LpBall>(LpBallShape{.centre = centre, .radius = radius, .p = 2});
}

// |x|_3 <= 1 around a centre: a set that no exact method knows.
SetPointer round_square(const Vector& centre) {
  return std::make_shared<LpBall>(LpBallShape{.centre = centre, .radius = 1, .p = 3});
}

SetPointer box(const Vector& lower, const Vector& upper) {
  return std::make_shared<Box>(Bounds{.lower = lower, .upper = upper});
}

TEST(ProductSet, WorksBlockByBlock) {
  const ProductSet set({box(vec({0}), vec({1})), disc(vec({0, 0}), 5)});
  EXPECT_EQ(set.dimension(), 3);
  EXPECT_THAT(set.project(vec({-2, 6, 8})), IsNear(vec({0, 3, 4}), 1e-15));
  EXPECT_THAT(set.support_point(vec({1, -3, 4})), IsNear(vec({1, -3, 4}), 1e-15));
  EXPECT_DOUBLE_EQ(set.diameter(), std::sqrt(101.0));
  // The box leaves 3 of the first block; the disc leaves 4 of (3, 4) at (5, 0).
  EXPECT_NEAR(set.normal_residual(vec({0.5, 5, 0}), vec({3, 3, 4})), 5, 1e-14);
  EXPECT_EQ(set.block(vec({1, 2, 3}), 1), vec({2, 3}));
  EXPECT_EQ(set.parts().size(), 2u);
}

TEST(ProductSet, BadPartsAreRefused) {
  EXPECT_THAT([] { ProductSet(SetParts{}); }, refuses("number of parts of the product is 0"));
  EXPECT_THAT(
      [] {
        ProductSet({disc(vec({0}), 1), nullptr});
      },
      refuses("part 1 of the product is null"));
  const ProductSet set({disc(vec({0}), 1)});
  EXPECT_THAT([&] { set.block(vec({1}), 1); }, refuses("part is 1, must be below 1"));
  EXPECT_THAT([&] { set.block(vec({1, 2}), 0); }, refuses("vector has 2 entries, must have 1"));
}

// The unit disc cut by x >= 1/2. Its upper corner is c = (1/2, sqrt(3)/2), where the normals are
// spanned by c and (-1, 0). (0, 2) - c = (-1/2, 2 - sqrt(3)/2) is among them, so c is nearest to
// (0, 2); so is (0, 1), so c is the highest point.
TEST(IntersectionSet, IsSolvedByHandAtACorner) {
  const IntersectionSet set({disc(vec({0, 0}), 1), box(vec({0.5, -9}), vec({9, 9}))});
  const Vector corner = vec({0.5, std::sqrt(0.75)});
  EXPECT_THAT(set.project(vec({0, 2})), IsNear(corner, 1e-11));
  EXPECT_THAT(set.support_point(vec({0, 1})), IsNear(corner, 1e-11));
  EXPECT_THAT(set.project(vec({3, 4})), IsNear(vec({0.6, 0.8}), 1e-11));
  EXPECT_THAT(set.support_point(vec({7, 7})), IsNear(vec({std::sqrt(0.5), std::sqrt(0.5)}), 1e-8));
  EXPECT_THAT(set.project(vec({-5, 0.3})), IsNear(vec({0.5, 0.3}), 1e-11));
  EXPECT_DOUBLE_EQ(set.diameter(), 2);
  EXPECT_NEAR(set.normal_residual(corner, vec({0, 1})), 0, 1e-7);
  EXPECT_NEAR(set.normal_residual(corner, vec({-3, -4})), 4, 1e-3);
}

// The rows of two polytopes together are one polytope, whose projection is exact. Far points make
// the plain method rest for hundreds of cycles at a point that is not the answer.
TEST(IntersectionSet, OfPolytopesAgreesWithTheQuadraticProgram) {
  const Vector slack = irregular(12, 21).cwiseAbs().array() + 0.1;
  const Matrix normals = irregular_matrix(12, 3, 22);
  Matrix closed(18, 3);
  closed << normals, both_signs(Matrix::Identity(3, 3));
  Vector offsets(18);
  offsets << slack, Vector::Ones(6);
  Vector box_offsets = Vector::Constant(6, 0.4);
  Matrix all(24, 3);
  all << closed, both_signs(Matrix::Identity(3, 3));
  Vector all_offsets(24);
  all_offsets << offsets, box_offsets;

  const Polytope whole(all, all_offsets);
  const IntersectionSet set({std::make_shared<Polytope>(closed, offsets),
                             box(Vector::Constant(3, -0.4), Vector::Constant(3, 0.4))});
  Rng rng(23);
  for (int k = 0; k < 60; ++k) {
    const Vector point = std::pow(10.0, k % 4 - 1) * normal_vector(3, rng);
    EXPECT_THAT(set.project(point), IsNear(whole.project(point), 1e-9));
    const Vector best = set.support_point(point);
    EXPECT_NEAR(point.dot(best), point.dot(whole.support_point(point)), 1e-8 * point.norm());
    EXPECT_NEAR(set.normal_residual(best, point - best), whole.normal_residual(best, point - best),
                1e-3 * (point - best).norm());
  }
}

// A lens of two discs: the error stays near the tolerance, also for loose ones.
TEST(IntersectionSet, ToleranceIsHonoured) {
  const SetParts parts = {disc(vec({-0.8, 0}), 1), disc(vec({0.8, 0}), 1)};
  const Vector corner = vec({0, 0.6});
  for (const double tolerance : {1e-3, 1e-5, 1e-7, 1e-9, 1e-12}) {
    const IntersectionSet set(parts, {.tolerance = tolerance});
    for (const Vector& point : {vec({0.1, 2}), vec({-0.5, 30}), vec({3, 300})}) {
      // The corner has a right angle or less on both sides: normals (0.8, 0.6) and (-0.8, 0.6).
      EXPECT_LE((set.project(point) - corner).norm(), 10 * tolerance * set.diameter()) << tolerance;
    }
  }
}

TEST(IntersectionSet, EmptyOnesAreRefused) {
  EXPECT_THAT(
      [] {
        IntersectionSet({disc(vec({0, 0}), 1), disc(vec({3, 0}), 1)});
      },
      refuses("intersection is empty: its 2 parts have no common point"));
  // Nearly touching.
  EXPECT_THAT(
      [] {
        IntersectionSet({disc(vec({0, 0}), 1), disc(vec({2.0001, 0}), 1)});
      },
      refuses("intersection is empty"));
  // Any two of these three discs overlap, all three do not.
  EXPECT_THAT(
      [] {
        IntersectionSet(
            {disc(vec({0, 1}), 0.9), disc(vec({-0.8, -0.4}), 0.9), disc(vec({0.8, -0.4}), 0.9)});
      },
      refuses("intersection is empty: its 3 parts"));
  EXPECT_THAT(
      [] {
        IntersectionSet({std::make_shared<ProbabilitySimplex>(3), disc(Vector::Zero(3), 0.5)});
      },
      refuses("intersection is empty"));
}

// The ball and the box touch in (1, 0) only, and from above the approach to it is very slow.
TEST(IntersectionSet, SaysWhenItCannotTell) {
  EXPECT_THAT(
      [] {
        IntersectionSet({round_square(vec({0, 0})), box(vec({1, -1}), vec({3, 9}))},
                        {.max_cycles = 4});
      },
      refuses("intersection may be empty: after 4 cycles"));
}

TEST(IntersectionSet, FindsWherePartsOnlyTouchByTangents) {
  const IntersectionSet set({round_square(vec({0, 0})), box(vec({1, -1}), vec({3, 9}))},
                            {.max_cycles = 50});
  for (const auto& part : set.parts()) {
    EXPECT_LE(distance(*part, set.centre()), 1e-9 * set.diameter());
  }
  EXPECT_NEAR(set.centre()(0), 1, 1e-8);
}

TEST(IntersectionSet, ThrowsWhenTheCyclesDoNotSuffice) {
  const IntersectionSet set({round_square(vec({0, 0})), round_square(vec({0.5, 0}))},
                            {.max_cycles = 2});
  EXPECT_THAT(
      [&] {
        set.project(vec({0.3, 50}));
      },
      testing::ThrowsMessage<NotConverged>(
          testing::HasSubstr("intersection of 2 sets: after 2 cycles")));
}

TEST(IntersectionSet, BadPartsAreRefused) {
  const SetPointer line = disc(vec({0}), 1);
  EXPECT_THAT([] { IntersectionSet(SetParts{}); },
              refuses("number of parts of the intersection is 0"));
  EXPECT_THAT(
      [&] {
        IntersectionSet({line, nullptr});
      },
      refuses("part 1 of the intersection is null"));
  EXPECT_THAT(
      [&] {
        IntersectionSet({line, disc(vec({0, 0}), 1)});
      },
      refuses("part 1 of the intersection has dimension 2, must have 1 as part 0"));
  EXPECT_THAT([&] { IntersectionSet({line}, {.tolerance = 0}); },
              refuses("tolerance of the intersection is 0"));
  EXPECT_THAT([&] { IntersectionSet({line}, {.max_cycles = 0}); },
              refuses("max_cycles of the intersection is 0"));
}

}  // namespace
}  // namespace rgu
