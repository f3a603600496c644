// All that a solver needs to go on: what it starts from, what a checkpoint stores, what it returns.
#pragma once

#include <limits>

#include "rgu/base/rng.hpp"
#include "rgu/saddle/saddle_problem.hpp"
#include "rgu/solver/step_rule.hpp"

namespace rgu {

struct SolverState {
  Index iteration = 0;  // outer iterations done
  SaddlePoint point;    // the last iterate
  SaddlePoint drawn;    // one of the iterates after iterations 1 .. `iteration`, uniformly drawn
  Rng rng{0};
  Index samples = 0;   // transitions drawn so far
  double seconds = 0;  // of wall time so far
  // R_GM there, where the observer measured it.
  double residual = std::numeric_limits<double>::quiet_NaN();
  double first_value = 0;    // |objective| of the first iteration: the scale of divergence
  StepMemory policy_step;    // of automatic step sizes
  double extragradient = 0;  // the automatic step of the extragradient method; 0: none yet
  SaddlePoint average;       // of the iterates, by occupancy PGDA; empty for other solvers
  double nature_step = 0;    // its automatic step in xi; 0: none yet
};

}  // namespace rgu
