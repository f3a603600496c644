#include "rgu/robustness/round_sets.hpp"

#include <cmath>

#include "rgu/ambiguity/ellipsoid.hpp"
#include "rgu/ambiguity/matrix_ball.hpp"
#include "rgu/ambiguity/singleton.hpp"
#include "rgu/base/decompositions.hpp"

namespace rgu {

namespace {

// With Q the matrix of the ellipsoid, its support point along e_i is c + r Q^-1 e_i / sqrt(q_i),
// q_i = e_i' Q^-1 e_i. So with s = support point - c: column i of r^2 Q^-1 is s_i s.
Eigen::MatrixXd squared_shape(const Ellipsoid& set) {
  const Index n = set.dimension();
  Eigen::MatrixXd squares(n, n);
  for (Index i = 0; i < n; ++i) {
    const Vector offset = set.support_point(Vector::Unit(n, i)) - set.centre();
    squares.col(i) = offset(i) * offset;
  }
  return squares;
}

Eigen::MatrixXd symmetric_root(const Eigen::MatrixXd& squares) {
  const SymmetricEigen eigen(squares);
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal() *
         eigen.eigenvectors().transpose();
}

}  // namespace

std::optional<BallImage> as_ball_image(const ConvexSet& set) {
  if (const auto* ellipsoid = dynamic_cast<const Ellipsoid*>(&set)) {
    return BallImage{ellipsoid->centre(), symmetric_root(squared_shape(*ellipsoid))};
  }
  const std::optional<EuclideanBall> ball = as_euclidean_ball(set);
  if (!ball) return std::nullopt;
  const Index n = set.dimension();
  return BallImage{ball->centre, ball->radius * Eigen::MatrixXd::Identity(n, n)};
}

std::optional<MatrixBall> as_matrix_ball(const ConvexSet& set, MatrixSize size) {
  if (const auto* ball = dynamic_cast<const SpectralBall*>(&set)) {
    if (ball->centre().rows() != size.rows || ball->centre().cols() != size.columns) {
      return std::nullopt;  // another norm, once the matrix is folded differently
    }
    return MatrixBall{ball->centre(), ball->radius()};
  }
  if (const auto* point = dynamic_cast<const Singleton*>(&set)) {
    return MatrixBall{as_matrix(point->point(), size.rows, size.columns), 0};
  }
  const std::optional<EuclideanBall> ball = as_euclidean_ball(set);
  if (!ball) return std::nullopt;
  return MatrixBall{as_matrix(ball->centre, size.rows, size.columns), ball->radius};
}

}  // namespace rgu
