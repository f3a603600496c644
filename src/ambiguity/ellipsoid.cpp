#include "rgu/ambiguity/ellipsoid.hpp"

#include <cmath>
#include <utility>

#include "rgu/ambiguity/arguments.hpp"
#include "rgu/ambiguity/normal_cone.hpp"
#include "rgu/base/decompositions.hpp"

namespace rgu {
namespace {

// The nearest point of {y : sum w_i y_i^2 <= 1} to z, outside of it, is z_i / (1 + mu w_i) with the
// mu > 0 that puts it on the boundary. In terms of mu, 1 / sqrt(sum w_i y_i^2) is increasing and
// concave [MoreSorensen1983]: Newton's method for "that is 1" climbs to the root from mu = 0
// without a safeguard. Weights are relative to the largest, z to its norm and the shrinking factors
// to 1 / (1 + mu), so that nothing overflows.
Vector nearest_on_ellipsoid(const Vector& z, const Vector& weights) {
  const Eigen::ArrayXd ratio = weights / weights.maxCoeff();
  const Vector scaled = weights.cwiseSqrt().cwiseProduct(z);
  const double size = scaled.stableNorm();
  const Eigen::ArrayXd squares = (scaled / size).array().square();
  double mu = 0;
  for (int k = 0; k < 200; ++k) {
    const Eigen::ArrayXd shrink = (1 + mu) / (1 + mu * ratio);
    const double square = (squares * shrink.square()).sum();
    const double excess = size / (1 + mu) * std::sqrt(square) - 1;
    const double slope = (squares * ratio * shrink.cube()).sum();
    const double step = (1 + mu) * square * excess / slope;
    if (!(step > kEps * mu)) break;
    mu += step;
  }
  return z.array() / (1 + mu * ratio);
}

}  // namespace

Ellipsoid::Ellipsoid(WeightedBall ball)
    : ConvexSet(ball.centre.size()),
      centre_(std::move(ball.centre)),
      weights_(std::move(ball.weights)),
      radius_(ball.radius) {
  check_common();
  check_size("weights of the ellipsoid", weights_.size(), dimension());
  for (Index i = 0; i < dimension(); ++i) {
    check_positive(fmt::format("weights of the ellipsoid[{}]", i), weights_(i));
  }
}

Ellipsoid::Ellipsoid(QuadraticBall ball)
    : ConvexSet(ball.centre.size()), centre_(std::move(ball.centre)), radius_(ball.radius) {
  check_common();
  const Matrix& q = ball.matrix;
  check_shape("matrix of the ellipsoid", q, {dimension(), dimension()});
  check_finite("matrix of the ellipsoid", q);
  Index i = 0, j = 0;
  const double skew = (q - q.transpose()).cwiseAbs().maxCoeff(&i, &j);
  check(skew <= 1e-9 * q.cwiseAbs().maxCoeff(),
        "matrix of the ellipsoid is {} at [{}, {}] but {} at [{}, {}], must be symmetric", q(i, j),
        i, j, q(j, i), j, i);
  const SymmetricEigen eigen(0.5 * (q + q.transpose()));
  weights_ = eigen.eigenvalues();
  axes_ = eigen.eigenvectors();
  const double rounding = kEps * static_cast<double>(dimension()) * weights_.maxCoeff();
  check(weights_.minCoeff() > rounding,
        "matrix of the ellipsoid has the eigenvalue {}, must be positive definite",
        weights_.minCoeff());
}

void Ellipsoid::check_common() const {
  check_count("dimension of the ellipsoid", dimension());
  check_finite("centre of the ellipsoid", centre_);
  check_nonnegative("radius of the ellipsoid", radius_);
}

Vector Ellipsoid::to_axes(const Vector& vector) const {
  if (axes_.size() == 0) return vector;
  return axes_.transpose() * vector;
}

Vector Ellipsoid::from_axes(const Vector& vector) const {
  if (axes_.size() == 0) return vector;
  return axes_ * vector;
}

Vector Ellipsoid::project(const Vector& point) const {
  check_argument("point", point, dimension());
  if (radius_ == 0.0) return centre_;
  const Vector z = to_axes(point - centre_) / radius_;
  if (weights_.cwiseSqrt().cwiseProduct(z).stableNorm() <= 1) return point;
  return centre_ + radius_ * from_axes(nearest_on_ellipsoid(z, weights_));
}

Vector Ellipsoid::support_point(const Vector& direction) const {
  check_argument("direction", direction, dimension());
  const Vector root = weights_.cwiseSqrt();
  const Vector g = to_axes(direction).cwiseQuotient(root);
  const double norm = g.stableNorm();
  if (norm == 0.0) return centre_;
  return centre_ + radius_ * from_axes((g / norm).cwiseQuotient(root));
}

double Ellipsoid::diameter() const { return 2 * radius_ / std::sqrt(weights_.minCoeff()); }

double Ellipsoid::normal_residual(const Vector& point, const Vector& direction) const {
  check_argument("point", point, dimension());
  check_argument("direction", direction, dimension());
  if (radius_ == 0.0) return 0;
  const Vector z = to_axes(point - centre_) / radius_;
  const Vector root = weights_.cwiseSqrt();
  const double rounding = 16 * kEps * root.maxCoeff() * centre_.stableNorm() / radius_;
  if (root.cwiseProduct(z).norm() < 1 - kActiveTolerance - rounding) return direction.norm();
  return distance_from_ray(direction, from_axes(weights_.cwiseProduct(z)));
}

}  // namespace rgu
