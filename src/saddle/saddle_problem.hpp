// The narrow waist: all that a solver ever sees of a problem.
#pragma once

#include "rgu/base/convex_set.hpp"
#include "rgu/base/rng.hpp"
#include "rgu/base/types.hpp"

namespace rgu {

// The sense is stated here, once: the policy minimises, nature maximises.
struct SaddlePoint {
  Vector policy = {};  // theta
  Vector nature = {};  // xi
};

struct SaddleGradient {
  double value = 0;    // f_xi(lambda_theta), or an estimate of it
  Vector policy = {};  // grad_theta
  Vector nature = {};  // grad_xi
  Index samples = 0;   // transitions drawn for it
};

class GradientOracle {
 public:
  virtual ~GradientOracle() = default;
  virtual SaddleGradient estimate(const SaddlePoint& at, Rng& rng) const = 0;

  // The same, but `policy` may be left empty: cheaper where only nature moves.
  virtual SaddleGradient estimate_nature(const SaddlePoint& at, Rng& rng) const {
    return estimate(at, rng);
  }
};

// A view: whoever makes it owns the parts and keeps them alive.
struct SaddleProblem {
  const GradientOracle& oracle;
  const ConvexSet& policies;
  const ConvexSet& ambiguity;
};

}  // namespace rgu
