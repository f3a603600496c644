#include "rgu/robustness/ascent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace rgu {

namespace {

constexpr double kRounding = 1e-15;
constexpr Index kPatience = 500;  // steps without a smaller gap: rounding is all that is left

struct Point {
  Vector nature;
  UtilityGradient at;
};

// What accuracy is relative to: the value, and what the set can change it by.
double size_of(const WorstCaseProblem& problem, const UtilityGradient& at) {
  return std::max(std::abs(at.value), at.nature.norm() * problem.ambiguity.diameter());
}

Point evaluated(const WorstCaseProblem& problem, Vector nature) {
  UtilityGradient at = problem.at(nature);
  return {std::move(nature), std::move(at)};
}

// What f is made of, which its rounding is relative to.
double size_of(const Point& point) {
  return std::abs(point.at.value) + point.at.nature.norm() * point.nature.norm();
}

// Does f stay above its model at `from`, f + <g, move> - |move|^2 / (2 step)? Then the step raises
// f by at least |move|^2 / (2 step). Where the rise is lost in the rounding of f the gradients are
// asked: the mean slope along the move stands in for the rise.
bool above_model(const Point& from, const Point& next, double step) {
  const Vector move = next.nature - from.nature;
  const double promised = from.at.nature.dot(move) - move.squaredNorm() / (2 * step);
  const double rounding = kRounding * size_of(from);
  if (promised > 1e4 * rounding) return next.at.value - from.at.value >= promised - rounding;
  return 0.5 * (from.at.nature + next.at.nature).dot(move) >= promised;
}

// Projected steps, each of a length found by halving.
class Stepper {
 public:
  explicit Stepper(const WorstCaseProblem& problem) : problem_(problem) {}

  // Begins with a step that can cross the set many times. Longer ones gain nothing.
  std::optional<Point> from(const Point& from) {
    const double size = from.at.nature.norm();
    step_ = size > 0 ? std::min(2 * step_, 1e3 * problem_.ambiguity.diameter() / size) : 1;
    for (int halvings = 0; halvings < 200; ++halvings, step_ /= 2) {
      Point next =
          evaluated(problem_, problem_.ambiguity.project(from.nature + step_ * from.at.nature));
      if (above_model(from, next, step_)) return next;
    }
    return std::nullopt;
  }

 private:
  const WorstCaseProblem& problem_;
  double step_ = std::numeric_limits<double>::infinity();
};

}  // namespace

Ascent projected_ascent(const WorstCaseProblem& problem, Vector start, Index iterations) {
  Point current = evaluated(problem, std::move(start));
  Stepper stepper(problem);
  int idle = 0;
  for (Index k = 0; k < iterations && idle < 5; ++k) {
    std::optional<Point> next = stepper.from(current);
    if (!next || !(next->at.value >= current.at.value)) break;
    const double rise = next->at.value - current.at.value;
    idle = rise <= 1e-14 * (1e-300 + std::abs(current.at.value)) ? idle + 1 : 0;
    current = *std::move(next);
  }
  return {.value = current.at.value, .nature = std::move(current.nature)};
}

// Nesterov's momentum, begun again whenever it points downhill [ODonoghueCandes2015].
Ascent certified_ascent(const WorstCaseProblem& problem, Vector start) {
  Point current = evaluated(problem, std::move(start));
  Point probe = current;
  Ascent best{.value = current.at.value, .nature = current.nature};
  Stepper stepper(problem);
  double weight = 1;
  double least = std::numeric_limits<double>::infinity();  // of the gaps so far
  Index idle = 0;                                          // steps since then
  for (Index k = 0; k < problem.options.iterations; ++k) {
    const double gap = frank_wolfe_gap(problem.ambiguity, current.at.nature, current.nature);
    best.bound = std::min(best.bound, current.at.value + gap);
    const double wanted = problem.options.tolerance * size_of(problem, current.at);
    if (best.bound - best.value <= wanted) break;
    idle = best.bound - best.value < least ? 0 : idle + 1;
    least = std::min(least, best.bound - best.value);
    if (idle == kPatience) break;
    std::optional<Point> next = stepper.from(probe);
    if (!next) {
      if (weight == 1) break;  // not even a plain step gets anywhere
      weight = 1;
      probe = current;
      continue;
    }
    const Vector move = next->nature - current.nature;
    const bool downhill = probe.at.nature.dot(move) < 0;
    const double heavier = downhill ? 1 : 0.5 * (1 + std::sqrt(1 + 4 * weight * weight));
    const double momentum = downhill ? 0 : (weight - 1) / heavier;
    weight = heavier;
    current = *std::move(next);
    if (current.at.value > best.value) {
      best.value = current.at.value;
      best.nature = current.nature;
    }
    // Utilities may be undefined outside the set, so the probe is taken back into it.
    probe = momentum == 0
                ? current
                : evaluated(problem, problem.ambiguity.project(current.nature + momentum * move));
  }
  return best;
}

}  // namespace rgu
