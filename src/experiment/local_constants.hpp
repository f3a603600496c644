// Lipschitz constants as they are near a point, beside those that theory guarantees everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rgu/experiment/config.hpp"
#include "rgu/experiment/instance.hpp"
#include "rgu/record/run_folder.hpp"
#include "rgu/saddle/saddle_problem.hpp"
#include "rgu/theory/constants.hpp"

namespace rgu {

// Spectral norms of the derivatives of F = (grad_theta f, -grad_xi f) at one point, in the same
// scale as the constants of saddle_constants with the same names. NaN: no such derivative was found
// (f is not defined, or not smooth, around the point).
struct LocalConstants {
  double policy_policy = 0;  // of grad_theta f in theta
  double policy_nature = 0;  // of grad_theta f in xi
  double nature_policy = 0;  // of grad_xi f in theta
  double nature_nature = 0;  // of grad_xi f in xi
  double field = 0;          // of F in (theta, xi)
};

// By power iteration from a random start; products with the Hessian of f are central differences of
// exact gradients. Power iteration approaches a norm from below. The same seed gives the same
// numbers. Throws InvalidInput where dimensions do not fit.
LocalConstants local_constants(const Instance& instance, const SaddlePoint& at, ConstantScale scale,
                               std::uint64_t seed = 0);

// One point of a run.
struct LocalPoint {
  std::uint64_t seed = 0;
  std::string point;  // "last iterate", "drawn iterate"
  LocalConstants constants;
};

// At the last and at the drawn iterate of every seed with a policy, in the scale of the run's
// policy gradients. Nothing for seeds whose method works on occupancies: it has no theta. Throws
// InvalidInput where the checkpoint of a seed is missing or damaged.
std::vector<LocalPoint> local_constants_of_run(const ProblemConfig& config,
                                               const RunFolder& folder);

}  // namespace rgu
