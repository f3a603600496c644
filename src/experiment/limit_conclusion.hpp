// What a run has to say of the limits of a constrained problem.
#pragma once

#include <string>

#include "rgu/experiment/instance.hpp"
#include "rgu/record/run_record.hpp"

namespace rgu {

struct LimitConclusion {
  LimitRecord record;
  std::string status;  // takes the place of the run's own, or comes before it; empty: all are kept
  std::string note;    // one sentence, empty with the status
};

// At the occupancy (S, A) of the policy that was found. Where a limit is broken, says why, as far
// as that can be proven: no policy keeps all limits, or the ambiguity set lacks the multipliers
// that it takes. Throws InvalidInput where the shapes do not fit.
LimitConclusion conclude_limits(const Instance& instance, const Matrix& occupancy);

}  // namespace rgu
