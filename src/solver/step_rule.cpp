#include "rgu/solver/step_rule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rgu/base/check.hpp"

namespace rgu {
namespace {

// The step that changes the largest parameter by `move`; 0 where the gradient is 0.
double step_for_move(double move, const Vector& gradient) {
  const double largest = gradient.size() > 0 ? gradient.cwiseAbs().maxCoeff() : 0.0;
  return largest > 0 ? move / largest : 0.0;
}

double adaptive_step(const DescentStep& at, StepMemory& memory) {
  const double moved = (at.point - memory.point).norm();
  const double changed = (at.gradient - memory.gradient).norm();
  if (moved == 0) return memory.step;  // held by the bounds: nothing was measured
  const double lipschitz = changed / moved;
  if (at.iteration < kEarlyIterations) {
    memory.early_lipschitz = std::max(memory.early_lipschitz, lipschitz);
  } else if (lipschitz > kKinkFactor * memory.early_lipschitz) {
    memory.diminishing = true;
  }
  const double grown = std::sqrt(1 + memory.growth) * memory.step;
  const double safe = lipschitz > 0 ? 1 / (2 * lipschitz) : std::numeric_limits<double>::infinity();
  return std::min(grown, safe);
}

}  // namespace

void check_step(const char* name, const StepSize& step) {
  if (step) check_positive(name, *step);
}

double automatic_step(const DescentStep& at, StepMemory& memory) {
  if (!at.exact) memory.diminishing = true;
  double step = 0;
  if (!memory.diminishing) {
    step = memory.step > 0 ? adaptive_step(at, memory) : step_for_move(kFirstMove, at.gradient);
  }
  if (memory.diminishing) {
    const double move = 1 / std::sqrt(static_cast<double>(at.iteration + 1));
    step = step_for_move(move, at.gradient);
  }
  memory.growth = memory.step > 0 ? step / memory.step : 1.0;
  memory.step = step;
  memory.point = at.point;
  memory.gradient = at.gradient;
  return step;
}

}  // namespace rgu
