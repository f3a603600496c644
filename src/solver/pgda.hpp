// Projected gradient descent-ascent: nature answers the policy, then the policy takes one step.
#pragma once

#include <functional>

#include "rgu/solver/loop.hpp"

namespace rgu {

// All start from state.point, which is projected onto the sets first, and throw InvalidInput where
// an option or a dimension does not fit. A resumed state gives the same numbers, to the last bit,
// as a run that was never interrupted.

struct PgdaOptions {
  StepSize policy_step = {};  // eta
  StepSize nature_step = {};  // beta
  Index inner_steps = 10;     // T
};

// [RGU, Alg. pgda]: T steps xi <- proj(xi + beta g_xi), then theta <- proj(theta - eta g_theta)
// with the gradient at the new xi. The automatic beta is the smaller of 1/L, L the local Lipschitz
// constant of grad_xi f between the last two inner steps, and the step that crosses a quarter of
// the ambiguity set; the automatic eta is automatic_step's.
SolverResult pgda(const SaddleProblem& problem, SolverState state, const PgdaOptions& options,
                  const StopRule& stop, const Observer& observe = {});

struct DescentOptions {
  StepSize policy_step = {};  // eta
};

// [RGU, Alg. pgda-lp]: xi is the support point of grad_xi f at the centre of the ambiguity set (its
// support point in direction 0). The paper's set is an l_p ball; any set with a centre will do.
// Exact when f is linear in xi.
SolverResult pgda_lp(const SaddleProblem& problem, SolverState state, const DescentOptions& options,
                     const StopRule& stop, const Observer& observe = {});

// A member of the ambiguity set at which the policy does worst, and what finding it cost.
struct NatureAnswer {
  Vector nature = {};
  Index samples = 0;
};
using WorstCaseOracle = std::function<NatureAnswer(const SaddlePoint& at, Rng& rng)>;

// The inner loop replaced by a maximiser: the theta step is a gradient step on the envelope Gamma
// itself (Danskin).
SolverResult pgda_worst_case(const SaddleProblem& problem, const WorstCaseOracle& worst_case,
                             SolverState state, const DescentOptions& options, const StopRule& stop,
                             const Observer& observe = {});

// A policy that is no vector: a network, trained by an optimizer of its own. Within one iteration
// all that nature learns of the policy comes from one sample.
class PolicyPlayer {
 public:
  virtual ~PolicyPlayer() = default;

  // Draws the sample of iteration `iteration` = 0, 1, .. at the present policy. Returns its size.
  virtual Index draw(Index iteration) = 0;
  // f and grad_xi on the sample.
  virtual SaddleGradient nature_gradient(const Vector& nature) const = 0;
  // The policy's own step against `nature`, by the sample. Returns f there before the step; NaN if
  // the step could not be made, and then the policy is as it was.
  virtual double descend(const Vector& nature) = 0;
};

struct AscentOptions {
  StepSize nature_step = {};  // beta
  Index inner_steps = 10;     // T
};

// [RGU, Alg. pgda] with the policy's step left to the player: T steps xi <- proj(xi + beta g_xi) on
// one sample, then the player's. state.point.policy is empty.
SolverResult pgda(PolicyPlayer& player, const ConvexSet& ambiguity, SolverState state,
                  const AscentOptions& options, const StopRule& stop, const Observer& observe = {});

}  // namespace rgu
