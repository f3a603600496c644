#include "rgu/global/drift_witness.hpp"

#include <algorithm>
#include <cmath>

namespace rgu {

namespace {

using Columns = Eigen::MatrixXd;

constexpr double kNegligible = 1e-30;  // weights below this are left out

// Turns the columns i and j so that |u_i| = |y_i| in the first, where |u_i| < |y_i| and |u_j| >
// |y_j|; Z does not change.
void turn(DriftFactor& factor, Index i, Index j) {
  Columns& u = factor.directions;
  Columns& y = factor.moves;
  const auto form = [&](Index a, Index b) {
    return u.col(a).dot(u.col(b)) - y.col(a).dot(y.col(b));
  };
  // The root of smaller modulus of f_jj x^2 + 2 f_ij x + f_ii.
  const double low = form(i, i), cross = form(i, j), high = form(j, j);
  const double root = std::sqrt(cross * cross - low * high);
  const double tangent = -low / (cross + std::copysign(root, cross));
  const double cosine = 1 / std::hypot(1.0, tangent), sine = tangent * cosine;
  for (Columns* columns : {&u, &y}) {
    const Vector first = columns->col(i);
    columns->col(i) = cosine * first + sine * columns->col(j);
    columns->col(j) = cosine * columns->col(j) - sine * first;
  }
}

// Every turn settles one column, so there are fewer turns than columns.
void settle(DriftFactor& factor) {
  const Index count = factor.directions.cols();
  std::vector<char> settled(static_cast<std::size_t>(count), 0);
  for (Index turns = 0; turns < count; ++turns) {
    const Vector surplus =
        (factor.directions.colwise().squaredNorm() - factor.moves.colwise().squaredNorm())
            .transpose();
    Index worst = -1, best = -1;
    for (Index k = 0; k < count; ++k) {
      if (settled[static_cast<std::size_t>(k)]) continue;
      if (worst < 0 || surplus(k) < surplus(worst)) worst = k;
      if (best < 0 || surplus(k) > surplus(best)) best = k;
    }
    if (worst < 0 || !(surplus(worst) < 0 && surplus(best) > 0)) return;
    turn(factor, worst, best);
    settled[static_cast<std::size_t>(worst)] = 1;
  }
}

}  // namespace

std::vector<DriftPiece> drift_pieces(DriftFactor factor, const MatrixBall& ball) {
  factor.directions /= factor.directions.norm();
  factor.moves /= std::max(factor.moves.norm(), 1.0);
  settle(factor);
  // So much shorter, W - W0 is in the ball after rounding too.
  const double e = ball.radius;
  const double margin = 4 * kEps * (1 + (e > 0 ? ball.centre.norm() / e : 0));
  const double longest = std::max(1 - margin, 0.0);
  std::vector<DriftPiece> pieces;
  double total = 0;
  for (Index k = 0; k < factor.directions.cols(); ++k) {
    const double length = factor.directions.col(k).norm();
    if (!(length * length > kNegligible)) continue;
    const Vector direction = factor.directions.col(k) / length;
    Vector move = factor.moves.col(k) / length;
    move *= std::min(1.0, longest / std::max(move.norm(), 1e-300));
    pieces.push_back({.weight = length * length,
                      .direction = direction,
                      .map = ball.centre + e * direction * move.transpose()});
    total += pieces.back().weight;
  }
  for (DriftPiece& piece : pieces) piece.weight /= total;
  return pieces;
}

Vector mean_slope(const std::vector<DriftPiece>& pieces, const Matrix& features) {
  Columns seen(features.cols(), std::ssize(pieces));
  for (Index k = 0; k < seen.cols(); ++k) {
    const DriftPiece& piece = pieces[static_cast<std::size_t>(k)];
    seen.col(k) = std::sqrt(piece.weight) * (piece.map.transpose() * piece.direction);
  }
  return -(features * seen).rowwise().squaredNorm();
}

}  // namespace rgu
