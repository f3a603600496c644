#include "rgu/base/lapack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "laws/throws.hpp"
#include "rgu/base/rng.hpp"

namespace rgu {
namespace {

Eigen::MatrixXd normal_matrix(Index rows, Index columns, Rng& rng) {
  return normal_vector(rows * columns, rng).reshaped(rows, columns);
}

// --- LuFactor ---

// [0 1; 2 3] x = (1, 7): x = (2, 1). Transposed, [0 2; 1 3] x = (2, 4): x = (1, 1). The first pivot
// is zero: only row swaps help.
TEST(LuFactor, AMatrixWithAZeroOnTheDiagonalIsSolvedByHand) {
  const LuFactor lu(Eigen::MatrixXd({{0, 1}, {2, 3}}));
  EXPECT_EQ(lu.solve(Vector({{1, 7}})), Vector({{2, 1}}));
  EXPECT_EQ(lu.solve_transposed(Vector({{2, 4}})), Vector({{1, 1}}));
}

TEST(LuFactor, BothSolvesAreBackwardStableOnRandomMatrices) {
  Rng rng(1);
  for (const Index order : {1, 2, 3, 10, 32, 33, 100}) {
    const Eigen::MatrixXd matrix = normal_matrix(order, order, rng);
    const LuFactor lu(matrix);
    const Vector right = normal_vector(order, rng);
    const Vector x = lu.solve(right);
    EXPECT_LE((matrix * x - right).norm(), 1e-13 * matrix.norm() * x.norm()) << order;
    const Vector y = lu.solve_transposed(right);
    EXPECT_LE((matrix.transpose() * y - right).norm(), 1e-13 * matrix.norm() * y.norm()) << order;
  }
}

TEST(LuFactor, WrongInputIsNamed) {
  expect_invalid([] { LuFactor(Eigen::MatrixXd(2, 3)); }, "2 x 3, must be square");
  expect_invalid([] { LuFactor(Eigen::MatrixXd({{1, 2}, {2, 4}})); }, "singular: pivot 2 is zero");
  const LuFactor lu(Eigen::MatrixXd::Identity(2, 2));
  expect_invalid([&] { lu.solve(Vector::Ones(3)); }, "right-hand side has 3 entries, must have 2");
  expect_invalid([&] { lu.solve_transposed(Vector::Ones(1)); }, "right-hand side has 1 entries");
}

// --- DominantLu ---

DominantLu dominant_lu(const Eigen::MatrixXd& matrix) {
  return {matrix.rows(), [&](double* columns, Index stride) {
            for (Index k = 0; k < matrix.cols(); ++k) {
              std::copy_n(matrix.col(k).data(), matrix.rows(), columns + k * stride);
            }
          }};
}

// (I - g P)' for a random stochastic P: what policy evaluation factorises.
Eigen::MatrixXd transposed_system(Index order, double discount, Rng& rng) {
  Eigen::MatrixXd kernel = uniform_vector(order * order, rng).reshaped(order, order);
  for (Index s = 0; s < order; ++s) kernel.row(s) /= kernel.row(s).sum();
  return Eigen::MatrixXd::Identity(order, order) - discount * kernel.transpose();
}

// I - 0.5 [0 1; 1 0] = [1 -1/2; -1/2 1], with inverse (4/3) [1 1/2; 1/2 1].
TEST(DominantLu, TheTwoStateSwapIsSolvedByHand) {
  const DominantLu lu = dominant_lu(Eigen::MatrixXd({{1, -0.5}, {-0.5, 1}}));
  const Vector x = lu.solve(Vector({{1, 0}}));
  EXPECT_NEAR(x(0), 4.0 / 3, 1e-15);
  EXPECT_NEAR(x(1), 2.0 / 3, 1e-15);
}

TEST(DominantLu, BothSolvesAreBackwardStableForEveryOrderAndDiscount) {
  Rng rng(2);
  for (const double discount : {0.1, 0.95, 0.9999, 1 - 1e-9}) {
    for (Index order = 1; order <= DominantLu::kMaxOrder; ++order) {
      const Eigen::MatrixXd matrix = transposed_system(order, discount, rng);
      const DominantLu lu = dominant_lu(matrix);
      const Vector right = normal_vector(order, rng);
      const Vector x = lu.solve(right);
      EXPECT_LE((matrix * x - right).norm(), 1e-15 * matrix.norm() * x.norm()) << order;
      const Vector y = lu.solve_transposed(right);
      EXPECT_LE((matrix.transpose() * y - right).norm(), 1e-15 * matrix.norm() * y.norm()) << order;
    }
  }
}

TEST(DominantLu, WrongInputIsNamed) {
  const auto nothing = [](double*, Index) {};
  expect_invalid([&] { DominantLu(0, nothing); }, "order of a small matrix is 0, must be 1 to 32");
  expect_invalid([&] { DominantLu(33, nothing); }, "order of a small matrix is 33");
  expect_invalid([&] { DominantLu(3, nothing); }, "singular: pivot 1 is zero");
  expect_invalid(
      [] {
        dominant_lu(Eigen::MatrixXd({{1, 0}, {0, std::nan("")}}));
      },
      "singular: pivot 2 is zero or not a number");
  const DominantLu lu = dominant_lu(Eigen::MatrixXd::Identity(2, 2));
  expect_invalid([&] { lu.solve(Vector::Ones(40)); },
                 "right-hand side has 40 entries, must have 2");
  expect_invalid([&] { lu.solve_transposed(Vector::Ones(1)); }, "right-hand side has 1 entries");
}

// --- CholeskyFactor and gram_lower ---

TEST(CholeskyFactor, SolvesWithTheLowerTriangleAlone) {
  Rng rng(3);
  for (const Index order : {1, 5, 40}) {
    const Eigen::MatrixXd root = normal_matrix(order, order, rng);
    const Eigen::MatrixXd matrix =
        root * root.transpose() + Eigen::MatrixXd::Identity(order, order);
    Eigen::MatrixXd lower = matrix;
    lower.triangularView<Eigen::StrictlyUpper>().setConstant(1e9);
    const CholeskyFactor factor(lower);
    ASSERT_TRUE(factor.positive_definite());
    const Vector right = normal_vector(order, rng);
    const Vector x = factor.solve(right);
    EXPECT_LE((matrix * x - right).norm(), 1e-13 * matrix.norm() * x.norm());
  }
}

TEST(CholeskyFactor, AnIndefiniteMatrixIsRecognised) {
  EXPECT_FALSE(CholeskyFactor(Eigen::MatrixXd({{1, 2}, {2, 1}})).positive_definite());
  const double nan = std::nan("");
  EXPECT_FALSE(CholeskyFactor(Eigen::MatrixXd({{1, nan}, {nan, 1}})).positive_definite());
  EXPECT_FALSE(CholeskyFactor(Eigen::MatrixXd::Constant(40, 40, nan)).positive_definite());
}

TEST(CholeskyFactor, WrongInputIsNamed) {
  expect_invalid([] { CholeskyFactor(Eigen::MatrixXd(2, 3)); }, "2 x 3, must be square");
  const CholeskyFactor factor(Eigen::MatrixXd::Identity(2, 2));
  expect_invalid([&] { factor.solve(Vector::Ones(3)); }, "right-hand side has 3 entries");
}

TEST(GramLower, IsTheLowerTriangleOfTheProductWithTheTranspose) {
  Rng rng(4);
  for (const Index rows : {0, 1, 7}) {
    const Matrix matrix = normal_matrix(rows, 5, rng);
    const Eigen::MatrixXd expected = matrix.transpose() * matrix;
    const Eigen::MatrixXd gram = gram_lower(matrix);
    for (Index j = 0; j < 5; ++j) {
      for (Index i = j; i < 5; ++i) EXPECT_NEAR(gram(i, j), expected(i, j), 1e-14);
    }
  }
}

}  // namespace
}  // namespace rgu
