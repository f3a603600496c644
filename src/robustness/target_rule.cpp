// Targets: f is convex in xi, and a sum of functions of one xi_i each.
#include "rgu/robustness/round_sets.hpp"
#include "rgu/robustness/rules.hpp"
#include "rgu/robustness/vertices.hpp"
#include "rgu/utility/target.hpp"

namespace rgu {

namespace {

WorstCase with_method(WorstCase answer, const char* method) {
  answer.method = method;
  return answer;
}

// centre + radius (centre - lambda)/|centre - lambda|; from the centre itself all are as far.
Vector farthest_of_ball(const EuclideanBall& ball, const Vector& occupancy) {
  Vector away = ball.centre - occupancy;
  const double length = away.stableNorm();
  if (length == 0) away = Vector::Unit(away.size(), 0);
  return ball.centre + ball.radius * away / (length == 0 ? 1 : length);
}

Vector farthest_of_box(const Bounds& box, const Vector& occupancy) {
  const auto above = box.upper - occupancy;
  const auto below = occupancy - box.lower;
  return (above.array() >= below.array()).select(box.upper, box.lower);
}

}  // namespace

std::optional<WorstCase> farthest_target(const WorstCaseProblem& problem) {
  const bool quadratic = dynamic_cast<const QuadraticTarget*>(&problem.utility) != nullptr;
  const bool divergence = dynamic_cast<const KlTarget*>(&problem.utility) != nullptr;
  if (!quadratic && !divergence) return std::nullopt;
  const Vector occupancy = flatten(problem.occupancy);
  if (const auto box = as_box(problem.ambiguity)) {
    // The divergence falls in every xi_i.
    return with_method(
        exact_answer(problem, quadratic ? farthest_of_box(*box, occupancy) : box->lower),
        "target in a box: the farther end of each interval");
  }
  const auto ball = as_euclidean_ball(problem.ambiguity);
  if (quadratic && ball) {
    return with_method(exact_answer(problem, farthest_of_ball(*ball, occupancy)),
                       "quadratic target in a ball: the farthest point");
  }
  std::optional<Vector> vertex =
      best_vertex(problem.ambiguity, [&](const Vector& xi) { return problem.at(xi).value; });
  if (!vertex) return std::nullopt;
  return with_method(exact_answer(problem, *std::move(vertex)), "convex in xi: the best vertex");
}

}  // namespace rgu
