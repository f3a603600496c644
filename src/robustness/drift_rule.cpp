#include <cmath>

#include "rgu/robustness/ascent.hpp"
#include "rgu/robustness/drift_search.hpp"
#include "rgu/robustness/rules.hpp"
#include "rgu/utility/drift.hpp"

namespace rgu {

namespace {

constexpr double kAccuracy = 1e-9;  // relative to the value at the centre
constexpr Index kPolish = 30;       // steps of ascent on the smoothed utility

}  // namespace

// The smoothed utility is between -lmin and -lmin + (log d)/b, and so is its worst case.
std::optional<WorstCase> drift_on_ball(const WorstCaseProblem& problem) {
  const auto* drift = dynamic_cast<const Drift*>(&problem.utility);
  if (drift == nullptr) return std::nullopt;
  const std::optional<MatrixBall> ball =
      as_matrix_ball(problem.ambiguity, {drift->dimension(), drift->feature_dimension()});
  if (!ball) return std::nullopt;
  const WorstMap worst = worst_map(drift->second_moment(problem.occupancy), *ball);
  const double accuracy = kAccuracy * worst.scale + worst.rounding;
  if (drift->smoothing() == 0 || drift->dimension() == 1) {
    WorstCase answer = bounded_answer(problem, flatten(worst.map), -worst.bound, accuracy);
    answer.method = std::string("drift on a ball: the dual search over one scalar");
    return answer;
  }
  const double slack = std::log(static_cast<double>(drift->dimension())) / drift->smoothing();
  Ascent polished = projected_ascent(problem, flatten(worst.map), kPolish);
  WorstCase answer =
      bounded_answer(problem, std::move(polished.nature), slack - worst.bound, accuracy);
  answer.method = std::string(
      "smoothed drift on a ball: ascent from the worst case of the plain eigenvalue, "
      "which bounds it within (log d)/b");
  return answer;
}

}  // namespace rgu
