// From the table [solver] to the solver.
#pragma once

#include <functional>

#include "rgu/experiment/config.hpp"
#include "rgu/solver/loop.hpp"
#include "rgu/solver/pgda.hpp"

namespace rgu {

// What the methods need beyond the saddle problem.
struct MethodParts {
  SaddleProblem problem;
  WorstCaseOracle worst_case = {};
  // The oracle of outer iteration k, for methods whose samples grow; empty: that of the problem.
  std::function<const GradientOracle&(Index k)> oracle_at = {};
  // The envelope solver; empty where there is none, as without a model.
  std::function<SolverResult(const EnvelopeConfig& method, SolverState state)> envelope = {};
};

StopRule stop_rule(const ProblemConfig& config);

// Throws InvalidInput where the method is still to be chosen, or has no use for these parts.
SolverResult solve_by(const SolverConfig& solver, const MethodParts& parts, SolverState state,
                      const StopRule& stop, const Observer& observe);

}  // namespace rgu
