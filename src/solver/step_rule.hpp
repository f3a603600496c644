// Step sizes: given, or chosen by what the solver measures.
#pragma once

#include <optional>

#include "rgu/base/types.hpp"

namespace rgu {

// Empty: automatic.
using StepSize = std::optional<double>;

// Of an automatic step size: the largest change of a parameter in the first step.
inline constexpr double kFirstMove = 0.1;

// Throws InvalidInput unless the step is automatic or finite and > 0.
void check_step(const char* name, const StepSize& step);

// What an automatic step size remembers from one iteration to the next; part of a checkpoint.
struct StepMemory {
  double step = 0;             // the last one; 0: none yet
  double growth = 0;           // the last one over the one before it
  double early_lipschitz = 0;  // the largest Lipschitz constant measured in the first iterations
  bool diminishing = false;    // the gradient was found to be noisy or not Lipschitz
  Vector point;                // where the last gradient was taken
  Vector gradient;
};

// The gradient of one descent step, and where it was taken.
struct DescentStep {
  Index iteration = 0;  // k = 0, 1, ..
  const Vector& point;
  const Vector& gradient;
  bool exact = true;  // the oracle drew no random numbers
};

// The automatic step of a descent method, without knowledge of any constant. Two rules:
//
// adaptive, while gradients are exact and look Lipschitz: step_k = min(sqrt(1 + step_{k-1} /
// step_{k-2}) step_{k-1}, 1 / (2 L_k)) with the local constant L_k = |g_k - g_{k-1}| / |x_k -
// x_{k-1}| [MalitskyMishchenko2020, Alg. 1];
//
// diminishing, once gradients are noisy, or L_k exceeds kKinkFactor times the largest of the first
// kEarlyIterations: step_k = 1 / (sqrt(k + 1) |g_k|_inf), so that the largest change of a parameter
// is 1 / sqrt(k + 1). A worst case that jumps makes the envelope nonsmooth, and there the adaptive
// steps would shrink to nothing. Parameters are logits, whose natural unit is 1.
double automatic_step(const DescentStep& at, StepMemory& memory);

inline constexpr Index kEarlyIterations = 20;
inline constexpr double kKinkFactor = 100;

}  // namespace rgu
