#include "rgu/ambiguity/ball_cut.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rgu/ambiguity/monotone_search.hpp"

namespace rgu {
namespace {

double rounding_of(const EuclideanBall& ball, const Vector& point) {
  return 4 * kEps * (ball.radius + ball.centre.stableNorm() + point.stableNorm());
}

// How far outside a point is; negative inside.
double excess(const EuclideanBall& ball, const Vector& point) {
  return (point - ball.centre).stableNorm() - ball.radius;
}

}  // namespace

BallCut::BallCut(std::shared_ptr<const ConvexSet> core, std::vector<EuclideanBall> balls)
    : core_(std::move(core)), balls_(std::move(balls)) {}

bool BallCut::is_inside(const EuclideanBall& ball, const Vector& point) const {
  return excess(ball, point) <= rounding_of(ball, point);
}

double BallCut::diameter() const {
  double least = core_->diameter();
  for (const EuclideanBall& ball : balls_) least = std::min(least, 2 * ball.radius);
  return least;
}

double BallCut::shortfall() const {
  double worst = 0;
  for (std::size_t k = 0; k < balls_.size(); ++k) {
    worst = std::max(worst, excess(balls_[k], pull(balls_[k].centre, k).nearest));
  }
  return worst;
}

BallCut::Pull BallCut::pull(const Vector& point, std::size_t count) const {
  if (count == 0) {
    Vector nearest = core_->project(point);
    Vector normal = point - nearest;
    return {.nearest = std::move(nearest), .core_normal = std::move(normal), .ball_normals = {}};
  }
  const EuclideanBall& ball = balls_[count - 1];
  Pull result = pull(point, count - 1);
  if (is_inside(ball, result.nearest)) {
    result.ball_normals.push_back(Vector::Zero(point.size()));
    return result;
  }
  const Vector direction = point - ball.centre;
  const double s = last_nonpositive(
      [&](double at) {
        return excess(ball, pull(ball.centre + at * direction, count - 1).nearest);
      },
      ball.radius / direction.stableNorm(), 1.0);
  result = pull(ball.centre + s * direction, count - 1);
  // At s = 0 the set is one point, up to rounding, and the pulls have no limit.
  const double stretch = s > 0 ? 1 / s : 0;
  result.core_normal *= stretch;
  for (Vector& normal : result.ball_normals) normal *= stretch;
  const double own = s > 0 ? 1 / s - 1 : 0;
  result.ball_normals.push_back(own * (result.nearest - ball.centre));
  return result;
}

Vector BallCut::nearest(const Vector& point) const { return pull(point, balls_.size()).nearest; }

// sum over the sets of max <y_k, x> - <y_k, nearest>, where the y_k add up to the direction: no
// member can have more. They are the normals at s, divided by s.
double BallCut::gap_at(const Pull& pull, const Vector& direction, double s) const {
  const Vector& x = pull.nearest;
  const Vector y = pull.core_normal / s;
  const CertifiedSupport core = core_->certified_support(y);
  double gap = std::max(0.0, y.dot(core.point - x)) + core.gap;
  Vector left = direction - y;
  for (std::size_t k = 0; k < pull.ball_normals.size(); ++k) {
    const Vector normal = pull.ball_normals[k] / s;
    const EuclideanBall& ball = balls_[k];
    gap += std::max(0.0, ball.radius * normal.stableNorm() - normal.dot(x - ball.centre));
    left -= normal;
  }
  return gap + left.stableNorm() * diameter();
}

CertifiedSupport BallCut::support(const Vector& direction, std::size_t count) const {
  if (count == 0) return core_->certified_support(direction);
  const EuclideanBall& ball = balls_[count - 1];
  // The best point without the ball may lie inside.
  CertifiedSupport loose = support(direction, count - 1);
  if (is_inside(ball, loose.point)) return loose;
  const double length = direction.stableNorm();
  if (length == 0) return {.point = pull(ball.centre, count).nearest, .gap = 0};
  const auto outside = [&](double s) {
    return excess(ball, pull(ball.centre + s * direction, count - 1).nearest);
  };
  const double s =
      last_nonpositive_outward(outside, ball.radius / length, kFarthest * diameter() / length);
  Pull reached = pull(ball.centre + s * direction, count - 1);
  // The members are all within this of the one nearest to the centre, by the law of cosines.
  const double distance = excess(ball, reached.nearest) + ball.radius;
  const double room = std::sqrt(std::max(0.0, ball.radius - distance) * (ball.radius + distance) +
                                2 * ball.radius * rounding_of(ball, reached.nearest));
  if (s == 0) return {.point = std::move(reached.nearest), .gap = length * room};
  reached.ball_normals.push_back(reached.nearest - ball.centre);
  const double without = std::max(0.0, direction.dot(loose.point - reached.nearest)) + loose.gap;
  const double gap = std::min(without, gap_at(reached, direction, s));
  return {.point = std::move(reached.nearest), .gap = gap};
}

CertifiedSupport BallCut::support(const Vector& direction) const {
  return support(direction, balls_.size());
}

}  // namespace rgu
