// Where a solver begins.
#pragma once

#include "rgu/base/check.hpp"
#include "rgu/saddle/saddle_problem.hpp"
#include "rgu/solver/state.hpp"

namespace rgu {

// Throws InvalidInput unless the point has the dimensions of the sets; a first point is projected
// onto them.
inline void begin(const SaddleProblem& problem, SolverState& state) {
  check_size("policy parameters", state.point.policy.size(), problem.policies.dimension());
  check_size("nature parameters", state.point.nature.size(), problem.ambiguity.dimension());
  if (state.iteration > 0) return;
  state.point.policy = problem.policies.project(state.point.policy);
  state.point.nature = problem.ambiguity.project(state.point.nature);
  state.drawn = state.point;
}

}  // namespace rgu
