#include "rgu/global/drift_witness.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "rgu/base/rng.hpp"

namespace rgu {
namespace {

Eigen::MatrixXd normal_matrix(Index rows, Index columns, Rng& rng) {
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return rng.normal(); });
}

// Factors whose moves are as long as allowed, shorter, and all in one column.
TEST(DriftPieces, AreMembersWhoseMeanSlopeIsThatOfTheFactor) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Rng rng(seed);
    const Index d = 1 + static_cast<Index>(rng.below(4)),
                columns = d + static_cast<Index>(rng.below(4));
    const Index count = 1 + static_cast<Index>(rng.below(7));
    DriftFactor factor{.directions = normal_matrix(d, count, rng),
                       .moves = normal_matrix(columns, count, rng)};
    if (seed % 3 == 1) factor.moves *= 0.1;
    if (seed % 3 == 2) factor.moves.rightCols(count - 1).setZero();
    const double e = std::pow(10, rng.uniform(-6, 0));
    const MatrixBall ball{.centre = normal_matrix(d, columns, rng), .radius = e};
    const Matrix features = normal_matrix(20, columns, rng);

    const std::vector<DriftPiece> pieces = drift_pieces(factor, ball);
    EXPECT_LE(std::ssize(pieces), count);
    double total = 0;
    Vector slope = Vector::Zero(20);
    for (const DriftPiece& piece : pieces) {
      EXPECT_GT(piece.weight, 0);
      EXPECT_NEAR(piece.direction.norm(), 1, 1e-14);
      EXPECT_LE((piece.map - ball.centre).norm(), e) << seed;
      total += piece.weight;
      slope -= piece.weight * (features * (piece.map.transpose() * piece.direction)).cwiseAbs2();
    }
    EXPECT_NEAR(total, 1, 1e-14);
    EXPECT_LT((mean_slope(pieces, features) - slope).norm(), 1e-13 * slope.norm());

    const Eigen::MatrixXd u = factor.directions / factor.directions.norm();
    const Eigen::MatrixXd y = factor.moves / std::max(factor.moves.norm(), 1.0);
    const Vector expected =
        -(features * (ball.centre.transpose() * u + e * y)).rowwise().squaredNorm();
    EXPECT_LT((slope - expected).norm(), 1e-12 * expected.norm()) << seed;
  }
}

// |u|^2 = (9/10, 1/10) and |y|^2 = (1/10, 9/10): neither column is a member times its weight.
TEST(DriftPieces, TurnColumnsUntilNoMoveIsTooLong) {
  const DriftFactor factor{.directions = Eigen::MatrixXd{{3, 1}},
                           .moves = Eigen::MatrixXd{{1, 0}, {0, 3}} / std::sqrt(10)};
  const MatrixBall ball{.centre = Matrix{{1, 0}}, .radius = 0.5};
  const std::vector<DriftPiece> pieces = drift_pieces(factor, ball);
  ASSERT_EQ(pieces.size(), 2);
  for (const DriftPiece& piece : pieces) {
    EXPECT_NEAR((piece.map - ball.centre).norm(), 0.5, 1e-14);
  }
}

TEST(DriftPieces, OfABallOfRadiusZeroAreTheCentre) {
  Rng rng(1);
  const MatrixBall ball{.centre = normal_matrix(2, 3, rng), .radius = 0};
  const DriftFactor factor{.directions = normal_matrix(2, 3, rng),
                           .moves = normal_matrix(3, 3, rng)};
  for (const DriftPiece& piece : drift_pieces(factor, ball)) EXPECT_EQ(piece.map, ball.centre);
}

}  // namespace
}  // namespace rgu
