// Which sets are Euclidean balls, in the disguises that sets have.
#pragma once

#include <optional>

#include "rgu/ambiguity/euclidean_ball.hpp"

namespace rgu {

// The image {centre + shape y : |y| <= 1} of the unit ball.
struct BallImage {
  Vector centre;
  Eigen::MatrixXd shape;  // (n, n)
};

// The set as such an image: a Euclidean ball or an Ellipsoid.
std::optional<BallImage> as_ball_image(const ConvexSet& set);

// A ball of (rows, columns) matrices in which the perturbations of rank one are those of Frobenius
// norm <= radius: FrobeniusBall, SpectralBall, LpBall with p = 2 of the flattened matrix, or
// Singleton, of radius 0.
struct MatrixBall {
  Matrix centre;
  double radius = 0;
};
struct MatrixSize {
  Index rows = 0;
  Index columns = 0;
};
std::optional<MatrixBall> as_matrix_ball(const ConvexSet& set, MatrixSize size);

}  // namespace rgu
