// Members of a ball of maps whose mean slope bounds the drift envelope from below.
#pragma once

#include <vector>

#include "rgu/base/types.hpp"
#include "rgu/robustness/round_sets.hpp"

namespace rgu {

// One map W of the ball and a unit vector u: -lmin(W M(lambda) W') >= -sum_i lambda_i (u'W
// psi_i)^2.
struct DriftPiece {
  double weight = 0;
  Vector direction = {};  // u: (d)
  Matrix map = {};        // W: (d, d')
};

// A matrix Z = sum_k z_k z_k', z_k = (u_k, y_k), in the columns of two matrices.
struct DriftFactor {
  Eigen::MatrixXd directions;  // u_k: (d, K)
  Eigen::MatrixXd moves;       // y_k: (d', K)
};

// Pieces with weights of sum 1 and maps in the ball, whose mean slope is
//   -sum_k (u_k'W0 psi + e y_k'psi)^2,
// up to rounding, where the u_k have been scaled to sum |u_k|^2 = 1 and the y_k to sum |y_k|^2
// <= 1. Z is decomposed again into z_k with |y_k| <= |u_k| [SturmZhang2003]; then W_k = W0 + e u_k
// y_k'/|u_k|^2. The directions must not all be 0.
std::vector<DriftPiece> drift_pieces(DriftFactor factor, const MatrixBall& ball);

// The mean slope: (S * A), one entry for each row of the features (S * A, d').
Vector mean_slope(const std::vector<DriftPiece>& pieces, const Matrix& features);

}  // namespace rgu
