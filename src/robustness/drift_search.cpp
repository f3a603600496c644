#include "rgu/robustness/drift_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "rgu/base/decompositions.hpp"

namespace rgu {

namespace {

constexpr double kNoRadius = 1e-100;  // the square of a smaller one is not a number to divide by

using Columns = Eigen::MatrixXd;

// The bracket lmin(A(mu)) - mu e^2, A(mu) = W0 K W0', at one mu, with the eigenvectors of A.
struct Bracket {
  double mu = 0;
  double value = 0;
  double slope = 0;      // of one branch, where the eigenvalue is multiple
  double curvature = 0;  // of that branch; 0 if unknown
  Columns seen;          // U'B: (d, d'), rows for eigenvalues in ascending order
  Columns vectors;       // U
};

// A way to make the eigenvalue small: min over |v| <= e of (W0'u + v)' M (W0'u + v).
struct Attack {
  double value = 0;
  Vector direction;  // u: (d)
  Vector move;       // v, in the coordinates of the eigenvectors of M: (d')
};

// The search in the coordinates in which M is diagonal: M = V diag(m) V', B = W0 V.
class DriftSearch {
 public:
  DriftSearch(const Matrix& moment, const MatrixBall& ball)
      : ball_(ball), axes_(Columns(moment)), e_(ball.radius) {
    moments_ = axes_.eigenvalues().cwiseMax(0.0);
    const double rounding = kEps * static_cast<double>(moments_.size()) * moments_.maxCoeff();
    moments_ = (moments_.array() > rounding).select(moments_, 0.0);
    centre_ = ball.centre * axes_.eigenvectors();
  }

  WorstMap solve() const;

 private:
  Columns seen_through(const Vector& weights) const {
    return centre_ * weights.asDiagonal() * centre_.transpose();
  }
  Bracket bracket(double mu) const;
  Bracket best_bracket(Bracket left, Bracket right, double accuracy) const;
  Attack attack(const Vector& direction, double guess) const;
  Attack best_attack(const Bracket& at, double accuracy) const;
  WorstMap answer(Matrix map, double bound, double scale) const;
  Matrix map_of(const Attack& attack) const;

  const MatrixBall& ball_;
  SymmetricEigen axes_;
  Vector moments_;  // m: (d'), zero where only rounding is left
  Columns centre_;  // B: (d, d')
  double e_;
};

// With k_j = mu m_j/(m_j + mu): k' = m^2/(m + mu)^2 and k'' = -2 m^2/(m + mu)^3. The slope of a
// simple eigenvalue is u'A'u; its curvature is u'A''u + 2 sum_i (u'A'u_i)^2/(l - l_i).
Bracket DriftSearch::bracket(double mu) const {
  const Eigen::ArrayXd ratio = moments_.array() / (moments_.array() + mu);
  const SymmetricEigen eigen(seen_through((mu * ratio).matrix()));
  const Vector& values = eigen.eigenvalues();
  Bracket at;
  at.mu = mu;
  at.value = values(0) - mu * e_ * e_;
  at.vectors = eigen.eigenvectors();
  at.seen.noalias() = at.vectors.transpose() * centre_;
  const Eigen::ArrayXd first = at.seen.row(0).transpose().array();
  const Vector slopes = at.seen * (ratio.square() * first).matrix();
  at.slope = slopes(0) - e_ * e_;
  at.curvature = -2 * (ratio.square() / (moments_.array() + mu) * first.square()).sum();
  for (Index i = 1; i < values.size(); ++i) {
    at.curvature -= 2 * slopes(i) * slopes(i) / std::max(values(i) - values(0), 1e-300);
  }
  return at;
}

// Where the tangents at both ends meet: no value of the concave bracket is above.
struct Meeting {
  double mu = 0;
  double value = 0;
};
Meeting tangents_meet(const Bracket& left, const Bracket& right) {
  const double rise = right.value - left.value - right.slope * (right.mu - left.mu);
  const double step = rise / (left.slope - right.slope);
  return {left.mu + step, left.value + left.slope * step};
}

// The maximum of the bracket between an end where it rises and one where it falls. Newton's method
// where the maximum is smooth. Where two eigenvalues cross there, the tangents of both sides meet
// near the crossing, with an error that is squared every other time. Halving keeps both honest.
Bracket DriftSearch::best_bracket(Bracket left, Bracket right, double accuracy) const {
  double width = right.mu - left.mu;
  for (int k = 1; k <= 100; ++k) {
    const Bracket& best = left.value >= right.value ? left : right;
    const Meeting meeting = tangents_meet(left, right);
    if (!(meeting.value - best.value > accuracy)) break;
    const auto inside = [&](double mu) { return mu > left.mu && mu < right.mu; };
    double mu = best.curvature < 0 ? best.mu - best.slope / best.curvature : -1;
    if (!inside(mu)) mu = meeting.mu;
    if (k % 3 == 0) {
      if (right.mu - left.mu > 0.5 * width) mu = 0.5 * (left.mu + right.mu);
      width = right.mu - left.mu;
    }
    if (!inside(mu)) mu = 0.5 * (left.mu + right.mu);
    if (!inside(mu)) break;
    Bracket next = bracket(mu);
    (next.slope > 0 ? left : right) = std::move(next);
  }
  return left.value >= right.value && left.mu > 0 ? left : right;
}

// v_j = -m_j b_j/(m_j + nu), b = B'u, with nu >= 0 such that |v| = e: 1/|v| is increasing and
// concave in nu [MoreSorensen1983], so Newton's method for 1/|v| = 1/e climbs to the root once it
// is below, and it is there after one step.
Attack DriftSearch::attack(const Vector& direction, double guess) const {
  const Eigen::ArrayXd m = moments_.array();
  const Eigen::ArrayXd b = (centre_.transpose() * direction).array();
  const Vector full = (m > 0).select(-b, 0.0);
  if (full.norm() <= e_) return {.value = 0, .direction = direction, .move = full};
  double nu = guess;
  for (int k = 0; k < 100; ++k) {
    const Eigen::ArrayXd squares = (m * b / (m + nu)).square();
    const double length = std::sqrt(squares.sum());
    const double slope = (m > 0).select(squares / (m + nu), 0.0).sum() / (length * length * length);
    const double next = std::max(nu + (1 / e_ - 1 / length) / slope, 1e-18 * m.maxCoeff());
    const bool done = std::abs(next - nu) <= 2 * kEps * nu;
    nu = next;
    if (done) break;
  }
  const Vector move = -m * b / (m + nu);
  return {.value = (m * (b * nu / (m + nu)).square()).sum(), .direction = direction, .move = move};
}

// Among the first k eigenvectors let D = U'A'U, so that |v|^2 = c'Dc for u = Uc. In its own
// eigenvectors, a mixture of the largest and the smallest has every |v|^2 between: those with e^2.
std::optional<std::array<Vector, 2>> mixtures(const Columns& slopes, double square) {
  const SymmetricEigen eigen(slopes);
  const Index last = slopes.rows() - 1;
  const double low = eigen.eigenvalues()(0), high = eigen.eigenvalues()(last);
  if (!(low <= square && square <= high && low < high)) return std::nullopt;
  const double share = (square - low) / (high - low);
  const Vector one = std::sqrt(share) * eigen.eigenvectors().col(last);
  const Vector other = std::sqrt(1 - share) * eigen.eigenvectors().col(0);
  return std::array<Vector, 2>{one + other, one - other};
}

// At a simple eigenvalue the eigenvector has |v| = e. Where eigenvalues meet, the smallest group of
// eigenvectors that has a u with |v| = e: its value is above the bracket by at most the spread of
// the eigenvalues in the group.
Attack DriftSearch::best_attack(const Bracket& at, double accuracy) const {
  Attack best = attack(at.vectors.col(0), at.mu);
  const Vector weights = (moments_.array() / (moments_.array() + at.mu)).square();
  for (Index k = 2; k <= at.vectors.cols() && best.value - at.value > accuracy; ++k) {
    const auto group = at.seen.topRows(k);
    const auto mixed = mixtures(group * weights.asDiagonal() * group.transpose(), e_ * e_);
    if (!mixed) continue;
    for (const Vector& coefficients : *mixed) {
      Attack next = attack((at.vectors.leftCols(k) * coefficients).normalized(), at.mu);
      if (next.value < best.value) best = std::move(next);
    }
    break;
  }
  return best;
}

Matrix DriftSearch::map_of(const Attack& attack) const {
  const Vector move = axes_.eigenvectors() * attack.move;
  return ball_.centre + attack.direction * move.transpose();
}

WorstMap DriftSearch::answer(Matrix map, double bound, double scale) const {
  const double longest = ball_.centre.norm() + e_;
  const double largest = moments_.maxCoeff() * longest * longest;  // of the entries of W M W'
  return {.map = std::move(map),
          .bound = std::max(bound, 0.0),
          .scale = std::max(scale, 0.0),
          .rounding = 16 * kEps * static_cast<double>(moments_.size()) * largest};
}

WorstMap DriftSearch::solve() const {
  const SymmetricEigen nominal(seen_through(moments_));
  const double scale = nominal.eigenvalues()(0);
  if (e_ <= kNoRadius || !(scale > 0)) return answer(ball_.centre, scale, scale);
  // The slope at mu = 0 is the least squared singular value of W0 on the range of M, less e^2.
  const Vector range = (moments_.array() > 0).select(Vector::Ones(moments_.size()), 0.0);
  const SymmetricEigen singular(seen_through(range));
  Bracket left;
  left.slope = singular.eigenvalues()(0) - e_ * e_;
  if (left.slope <= 0) return answer(map_of(attack(singular.eigenvectors().col(0), 0)), 0, scale);

  const double rounding = 4 * kEps * nominal.eigenvalues().maxCoeff();
  const double accuracy = std::max(1e-13 * scale, rounding);
  // The bracket is 0 at mu = 0 and not above it from here on.
  const Bracket best = best_bracket(left, bracket(scale / (e_ * e_)), accuracy);
  return answer(map_of(best_attack(best, 10 * accuracy)), best.value, scale);
}

}  // namespace

WorstMap worst_map(const Matrix& moment, const MatrixBall& ball) {
  return DriftSearch(moment, ball).solve();
}

}  // namespace rgu
