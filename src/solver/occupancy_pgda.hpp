// Projected gradient descent-ascent with averaging, for problems that are convex in one player and
// concave in the other: over occupancies, where the model is known.
#pragma once

#include "rgu/solver/loop.hpp"

namespace rgu {

// Which xi the lambda step sees: the new one, as in the algorithm, or the old one, as in its proof.
enum class NatureOrder { kNew, kOld };

struct OccupancyPgdaOptions {
  StepSize policy_step = {};  // eta
  StepSize nature_step = {};  // beta
  NatureOrder order = NatureOrder::kNew;
};

// [RGU, Alg. pgda-tabular], with lambda = point.policy in problem.policies:
//   xi_{k+1}     = proj(xi_k + beta grad_xi f(lambda_k, xi_k)),
//   lambda_{k+1} = proj(lambda_k - eta grad_lambda f(lambda_k, xi)), xi = xi_{k+1} or xi_k.
// The output is state.average, the mean of (lambda_k, xi) over k < K with the xi that the lambda
// step saw: the pairs the proof bounds [RGU, Thm. tabular_pgda_gap_pgda]. Differs from the
// algorithm's output, the mean of xi_0 .. xi_{K-1}, where the order is new. Before the first
// iteration the average is the start.
//
// The automatic step of a player is D / sqrt(2 sum_{i<=k} |g_i|^2), D the diameter of its set and
// g_i its gradients [StreeterMcMahan2010]. It knows neither K nor a bound on the gradients, and
// sum_{k<K} <g_k, x_k - x> <= D sqrt(2 sum_{k<K} |g_k|^2) for every member x: at most sqrt 2 times
// the bound D l sqrt K of the theorem's constant step.
//
// Starts from state.point, which is projected onto the sets first. A resumed state gives the same
// numbers, to the last bit, as a run that was never interrupted. Throws InvalidInput where an
// option or a dimension does not fit, also where a state to go on from has no average.
SolverResult occupancy_pgda(const SaddleProblem& problem, SolverState state,
                            const OccupancyPgdaOptions& options, const StopRule& stop,
                            const Observer& observe = {});

}  // namespace rgu
