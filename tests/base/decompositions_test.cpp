#include "rgu/base/decompositions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "rgu/base/rng.hpp"

namespace rgu {
namespace {

Eigen::MatrixXd random_matrix(Index rows, Index columns, Rng& rng) {
  Eigen::MatrixXd matrix(rows, columns);
  for (Index i = 0; i < matrix.size(); ++i) matrix.data()[i] = rng.normal();
  return matrix;
}

double identity_error(const Eigen::MatrixXd& columns) {
  return (columns.transpose() * columns - Eigen::MatrixXd::Identity(columns.cols(), columns.cols()))
      .norm();
}

TEST(SymmetricEigen, DecomposesWhatItWasGiven) {
  Rng rng(1);
  for (const Index order : {1, 2, 7, 40}) {
    const Eigen::MatrixXd root = random_matrix(order, order, rng);
    const Eigen::MatrixXd matrix = root + root.transpose();
    const SymmetricEigen eigen(matrix);
    const Eigen::MatrixXd again =
        eigen.eigenvectors() * eigen.eigenvalues().asDiagonal() * eigen.eigenvectors().transpose();
    EXPECT_LE((again - matrix).norm(), 1e-13 * matrix.norm());
    EXPECT_TRUE(std::is_sorted(eigen.eigenvalues().begin(), eigen.eigenvalues().end()));
  }
}

TEST(LeastLift, IsAtMostOnePercentAboveTheLeastEigenvalue) {
  Rng rng(4);
  for (int k = 0; k < 200; ++k) {
    const Index order = 1 + k % 23;
    const Eigen::MatrixXd root = random_matrix(order, order, rng);
    const Eigen::MatrixXd matrix = std::pow(10, k % 7 - 2) * (root + root.transpose());
    const double least =
        std::max(1.0, -SymmetricEigen(matrix, Eigen::EigenvaluesOnly).eigenvalues()(0));
    const double lift = least_lift(matrix);
    EXPECT_GE(lift, least * (1 - 1e-12));
    EXPECT_LE(lift, least * (1.01 + 1e-12));
  }
}

TEST(LeastLift, OfWhatNeedsNoneIsOneAndOfWhatIsNoNumberInfinite) {
  EXPECT_EQ(least_lift(Eigen::MatrixXd::Zero(3, 3)), 1);
  EXPECT_EQ(least_lift(100 * Eigen::MatrixXd::Identity(3, 3)), 1);
  EXPECT_EQ(least_lift(Eigen::MatrixXd(0, 0)), 1);
  EXPECT_EQ(least_lift(Eigen::MatrixXd::Constant(2, 2, std::nan(""))), INFINITY);
  EXPECT_EQ(least_lift(Eigen::MatrixXd::Constant(2, 2, INFINITY)), INFINITY);
}

// Over 30 orders of magnitude, also with equal, negative and zero entries: each column of A V must
// be a multiple of the column of V, and V a rotation.
TEST(SymmetricEigen2, IsARotationThatDiagonalises) {
  Rng rng(2);
  for (int k = 0; k < 2000; ++k) {
    const double scale = std::pow(10, 30 * rng.uniform() - 15);
    Eigen::Matrix2d matrix;
    const double b = k % 7 == 0 ? 0 : scale * rng.normal();
    const double a = k % 5 == 0 ? 1.0 : rng.normal();
    matrix << a, b, b, k % 5 == 0 ? 1.0 : rng.normal();
    const SymmetricEigen2 eigen(matrix);
    EXPECT_LE(identity_error(eigen.eigenvectors()), 1e-15);
    EXPECT_LE(eigen.eigenvalues()(0), eigen.eigenvalues()(1));
    const Eigen::Matrix2d product = matrix * eigen.eigenvectors();
    const Eigen::Matrix2d scaled = eigen.eigenvectors() * eigen.eigenvalues().asDiagonal();
    EXPECT_LE((product - scaled).norm(), 1e-15 * matrix.norm()) << matrix;
  }
}

TEST(SymmetricEigen2, SolvesAnExampleByHand) {
  const SymmetricEigen2 eigen(Eigen::Matrix2d{{2, 1}, {1, 2}});  // (1, -1) and (1, 1)
  EXPECT_NEAR(eigen.eigenvalues()(0), 1, 1e-15);
  EXPECT_NEAR(eigen.eigenvalues()(1), 3, 1e-15);
  EXPECT_NEAR(eigen.eigenvectors()(0, 1), eigen.eigenvectors()(1, 1), 1e-15);
}

TEST(SingularValues, DecomposeSmallAndLargeMatrices) {
  Rng rng(3);
  for (const Index rows : {1, 3, 15, 17, 60}) {
    for (const Index columns : {1, 4, 16, 17, 45}) {
      const Eigen::MatrixXd matrix = random_matrix(rows, columns, rng);
      const SingularValues svd = thin_singular_values(matrix);
      ASSERT_EQ(svd.values.size(), std::min(rows, columns));
      EXPECT_LE((svd.left * svd.values.asDiagonal() * svd.right.transpose() - matrix).norm(),
                1e-13 * matrix.norm());
      EXPECT_LE(identity_error(svd.left) + identity_error(svd.right), 1e-12);
      EXPECT_TRUE(std::is_sorted(svd.values.begin(), svd.values.end(), std::greater<>()));
      const SingularValues full = full_singular_values(matrix);
      EXPECT_EQ(full.left.cols(), rows);
      EXPECT_EQ(full.right.cols(), columns);
      EXPECT_LE((full.values - svd.values).norm(), 1e-13 * svd.values.norm());
    }
  }
}

TEST(LeastSquares, HasNoSlopeLeftAndTheLeastNorm) {
  Rng rng(4);
  Eigen::MatrixXd matrix = random_matrix(9, 4, rng);
  const Vector right = random_matrix(9, 1, rng);
  EXPECT_LE((matrix.transpose() * (matrix * least_squares(matrix, right) - right)).norm(), 1e-12);
  matrix.col(3) = matrix.col(0);  // by symmetry, the least norm halves the weight
  const Vector least = least_squares(matrix, right, 1e-12);
  EXPECT_LE((matrix.transpose() * (matrix * least - right)).norm(), 1e-12);
  EXPECT_NEAR(least(0), least(3), 1e-12);
}

TEST(Factors, SpanAndTriangle) {
  Rng rng(5);
  Eigen::MatrixXd columns = random_matrix(6, 4, rng);
  columns.col(2) = columns.col(0) - columns.col(1);
  const Eigen::MatrixXd basis = orthonormal_basis(columns, 1e-12);
  EXPECT_EQ(basis.cols(), 3);
  EXPECT_LE((basis * (basis.transpose() * columns) - columns).norm(), 1e-13);
  const Eigen::MatrixXd tall = random_matrix(8, 5, rng);
  const Eigen::MatrixXd triangle = triangular_factor(tall);
  EXPECT_LE((triangle.transpose() * triangle - tall.transpose() * tall).norm(), 1e-12);
  EXPECT_EQ(Eigen::MatrixXd(triangle.triangularView<Eigen::StrictlyLower>()).norm(), 0);
}

}  // namespace
}  // namespace rgu
