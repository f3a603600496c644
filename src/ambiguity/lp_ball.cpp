#include "rgu/ambiguity/lp_ball.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "rgu/ambiguity/arguments.hpp"
#include "rgu/ambiguity/lp_projection.hpp"
#include "rgu/ambiguity/normal_cone.hpp"
#include "rgu/ambiguity/simplex.hpp"

namespace rgu {

double lp_norm(const Vector& vector, double p) {
  const double largest = vector.lpNorm<Eigen::Infinity>();
  if (largest == 0.0 || std::isinf(p)) return largest;
  if (p == 1.0) return vector.lpNorm<1>();
  if (p == 2.0) return vector.stableNorm();
  return largest * std::pow((vector.array().abs() / largest).pow(p).sum(), 1.0 / p);
}

namespace {

// `magnitude` with the signs of `signs`; zero where the sign is zero.
Vector with_signs(const Vector& magnitude, const Vector& signs) {
  return magnitude.cwiseProduct(signs.cwiseSign());
}

// sign(y) |y|^(p-1): the derivative of |y|^p / p.
double norm_slope(double y, double p) {
  return y == 0.0 ? 0.0 : std::copysign(std::pow(std::abs(y), p - 1), y);
}

}  // namespace

LpBall::LpBall(LpBallShape shape) : ConvexSet(shape.centre.size()), shape_(std::move(shape)) {
  check_count("dimension of the l_p ball", dimension());
  check_finite("centre of the l_p ball", centre());
  check_nonnegative("radius of the l_p ball", radius());
  check(p() >= 1.0, "p of the l_p ball is {}, must be in [1, inf]", p());
}

bool LpBall::is_max_norm() const { return std::isinf(p()); }

Vector LpBall::project(const Vector& point) const {
  check_argument("point", point, dimension());
  if (radius() == 0.0) return centre();
  if (is_max_norm()) {
    return point.array().max(centre().array() - radius()).min(centre().array() + radius());
  }
  const Vector offset = point - centre();
  const double norm = lp_norm(offset, p());
  if (norm <= radius()) return point;
  if (p() == 2.0) return centre() + radius() * (offset / norm);
  const Vector magnitude = offset.cwiseAbs();
  const Vector nearest = p() == 1.0 ? nearest_on_simplex(magnitude, radius())
                                    : lp_sphere_projection(magnitude, {radius(), p()});
  return centre() + with_signs(nearest, offset);
}

Vector LpBall::support_point(const Vector& direction) const {
  check_argument("direction", direction, dimension());
  Index best = 0;
  const double largest = direction.cwiseAbs().maxCoeff(&best);
  if (largest == 0.0) return centre();
  Vector magnitude = Vector::Ones(dimension());
  if (p() == 1.0) {
    magnitude = Vector::Unit(dimension(), best);
  } else if (!is_max_norm()) {
    magnitude = (direction.array().abs() / largest).pow(1 / (p() - 1));
    magnitude /= lp_norm(magnitude, p());
  }
  return centre() + radius() * with_signs(magnitude, direction);
}

double LpBall::diameter() const {
  const double exponent = std::max(0.0, 0.5 - 1 / p());
  return 2 * radius() * std::pow(static_cast<double>(dimension()), exponent);
}

double LpBall::normal_residual(const Vector& point, const Vector& direction) const {
  check_argument("point", point, dimension());
  check_argument("direction", direction, dimension());
  if (radius() == 0.0) return 0;
  if (is_max_norm()) {
    const Bounds box{.lower = centre().array() - radius(), .upper = centre().array() + radius()};
    return distance_from_box_normals(direction, box, point);
  }
  const Vector y = (point - centre()) / radius();
  const Vector rounding =
      16 * std::numeric_limits<double>::epsilon() * (1 + centre().array().abs() / radius());
  if (lp_norm(y, p()) < 1 - kActiveTolerance - rounding.sum()) return direction.norm();
  Bounds normals{.lower = y, .upper = y};
  for (Index i = 0; i < dimension(); ++i) {
    const double slack = p() == 1.0 ? kActiveTolerance + rounding(i) : rounding(i);
    normals.lower(i) = norm_slope(y(i) - slack, p());
    normals.upper(i) = norm_slope(y(i) + slack, p());
  }
  return distance_from_interval_ray(direction, normals);
}

}  // namespace rgu
