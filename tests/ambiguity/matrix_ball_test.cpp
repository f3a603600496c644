#include "rgu/ambiguity/matrix_ball.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ambiguity/helpers.hpp"

namespace rgu {
namespace {

TEST(FrobeniusBall, IsTheEuclideanBallOfTheFlattenedMatrix) {
  const Matrix centre = matrix(2, 2, {1, 0, 0, 1});
  const FrobeniusBall set(centre, 2.5);
  // centre + (3, 0; 0, 4), of length 5, is pulled back to half.
  EXPECT_THAT(set.project(vec({4, 0, 0, 5})), IsNear(vec({2.5, 0, 0, 3}), 1e-15));
  EXPECT_THAT(set.support_point(vec({0, 3, 4, 0})), IsNear(vec({1, 1.5, 2, 1}), 1e-15));
  EXPECT_EQ(set.support_point(Vector::Zero(4)), flatten(centre));
  EXPECT_DOUBLE_EQ(set.diameter(), 5);
  EXPECT_EQ(set.centre(), centre);
  EXPECT_EQ(set.radius(), 2.5);
}

TEST(FrobeniusBall, BadShapesAreRefused) {
  EXPECT_THAT([] { FrobeniusBall(Matrix(0, 3), 1); },
              refuses("dimension of the Frobenius ball is 0"));
  EXPECT_THAT([] { FrobeniusBall(Matrix::Identity(2, 2), -1); },
              refuses("radius of the Frobenius ball is -1"));
  EXPECT_THAT(
      [] {
        FrobeniusBall(matrix(1, 2, {0, kNan}), 1);
      },
      refuses("centre of the Frobenius ball[0, 1] is nan"));
}

TEST(SpectralBall, CutsSingularValues) {
  const SpectralBall set(Matrix::Zero(2, 3), 1);
  EXPECT_THAT(set.project(vec({3, 0, 0, 0, 0.5, 0})), IsNear(vec({1, 0, 0, 0, 0.5, 0}), 1e-15));
  EXPECT_EQ(set.project(vec({0.9, 0, 0, 0, 0, -0.9})), vec({0.9, 0, 0, 0, 0, -0.9}));
}

// X = U diag(5, 1/2) V' with U, V rotations: the nearest point is U diag(1, 1/2) V'.
TEST(SpectralBall, CutsSingularValuesInRotatedBases) {
  const Matrix u = matrix(2, 2, {0.6, -0.8, 0.8, 0.6});
  const Matrix v = matrix(2, 2, {0.28, 0.96, -0.96, 0.28});
  const Matrix centre = matrix(2, 2, {1, 2, 3, 4});
  const Matrix far = centre + u * vec({5, 0.5}).asDiagonal() * v.transpose();
  const Matrix near = centre + u * vec({1, 0.5}).asDiagonal() * v.transpose();
  EXPECT_THAT(SpectralBall(centre, 1).project(flatten(far)), IsNear(flatten(near), 1e-14));
}

TEST(SpectralBall, SupportPointIsRadiusTimesThePolarFactor) {
  const SpectralBall set(Matrix::Zero(2, 2), 3);
  // The polar factor of a positive diagonal matrix is the identity, with signs if negative.
  EXPECT_THAT(set.support_point(vec({5, 0, 0, -0.1})), IsNear(vec({3, 0, 0, -3}), 1e-14));
  // Rank 1: only its own singular vectors.
  EXPECT_THAT(set.support_point(vec({0, 7, 0, 0})), IsNear(vec({0, 3, 0, 0}), 1e-14));
  EXPECT_EQ(set.support_point(Vector::Zero(4)), Vector::Zero(4));
}

TEST(SpectralBall, DiameterCountsTheSmallerSide) {
  EXPECT_DOUBLE_EQ(SpectralBall(Matrix::Zero(4, 9), 1.5).diameter(), 6);
  EXPECT_DOUBLE_EQ(SpectralBall(Matrix::Zero(9, 4), 1.5).diameter(), 6);
}

// At X = identity the normals are the symmetric positive semidefinite matrices: of diag(1, -1) the
// nearest is diag(1, 0); a skew matrix is orthogonal to all. At diag(1, 1/2) they are diag(t, 0).
TEST(SpectralBall, NormalResidualsAreAsByHand) {
  const SpectralBall set(Matrix::Zero(2, 2), 1);
  const Vector identity = vec({1, 0, 0, 1});
  EXPECT_NEAR(set.normal_residual(identity, vec({1, 0, 0, -1})), 1, 1e-14);
  EXPECT_NEAR(set.normal_residual(identity, vec({0, 1, -1, 0})), std::sqrt(2.0), 1e-14);
  EXPECT_NEAR(set.normal_residual(identity, vec({2, 1, 1, 2})), 0, 1e-14);
  EXPECT_NEAR(set.normal_residual(vec({1, 0, 0, 0.5}), vec({1, 0, 0, 1})), 1, 1e-14);
  EXPECT_NEAR(set.normal_residual(vec({0.5, 0, 0, 0.5}), vec({3, 0, 0, 4})), 5, 1e-14);
}

TEST(SpectralBall, BadShapesAreRefused) {
  EXPECT_THAT([] { SpectralBall(Matrix(3, 0), 1); },
              refuses("dimension of the spectral ball is 0"));
  EXPECT_THAT([] { SpectralBall(Matrix::Identity(2, 2), kNan); },
              refuses("radius of the spectral ball is nan"));
  EXPECT_THAT(
      [] {
        SpectralBall(matrix(2, 1, {0, -kInfinity}), 1);
      },
      refuses("centre of the spectral ball[1, 0] is -inf"));
}

}  // namespace
}  // namespace rgu
