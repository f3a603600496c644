// What a run of constrained reinforcement learning has to say about its constraints.
#pragma once

#include <optional>

#include "rgu/base/convex_set.hpp"
#include "rgu/utility/utility.hpp"

namespace rgu {

// The limits <c_k, lambda> <= tau_k of a Constrained utility, also inside NatureRegularized and
// Sum: those of its parts one after the other.
struct Limits {
  Matrix costs;       // c: (S A, K); K = 0: none
  Vector thresholds;  // tau: (K)

  // What counts as kept: an excess of up to kSlack (|tau_k| + kSlack max |c_k|).
  static constexpr double kSlack = 1e-3;
  Vector slack() const;  // (K)
};
Limits limits_of(const Utility& utility);

struct ConstraintReport {
  Vector violation;    // (K): <c_k, lambda> - tau_k; <= 0 where the constraint holds
  double largest = 0;  // of them
  Index most = 0;      // the constraint that is exceeded most, relative to its slack, and
  double excess = 0;   // by how many slacks
  Index broken = -1;   // the same, if beyond its slack; -1: all are kept
};

// Of the limits, at lambda (S, A). Empty if the utility has none. Throws InvalidInput on a wrong
// shape.
std::optional<ConstraintReport> constraint_report(const Utility& utility, const Matrix& occupancy);

}  // namespace rgu
