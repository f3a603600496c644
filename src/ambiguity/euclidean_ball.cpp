#include "rgu/ambiguity/euclidean_ball.hpp"

#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/matrix_ball.hpp"

namespace rgu {

std::optional<EuclideanBall> as_euclidean_ball(const ConvexSet& set) {
  if (const auto* ball = dynamic_cast<const FrobeniusBall*>(&set)) {
    return EuclideanBall{flatten(ball->centre()), ball->radius()};
  }
  const auto* ball = dynamic_cast<const LpBall*>(&set);
  if (ball == nullptr || ball->p() != 2) return std::nullopt;
  return EuclideanBall{ball->centre(), ball->radius()};
}

}  // namespace rgu
