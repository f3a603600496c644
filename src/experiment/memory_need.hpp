// The memory that a problem takes, from its config alone.
#pragma once

#include "rgu/experiment/config.hpp"

namespace rgu {

// Counts as doubles: they may be beyond what any index can say.
struct MemoryNeed {
  double states = 0;
  double actions = 0;
  double transitions = 0;  // stored; for random models the most that there can be
  double bytes = 0;        // 0: not known before the model is read
};

// Of the model: its kernel and tables of one number for each state and action.
MemoryNeed memory_need(const ModelConfig& model);

// Of one seed at work: also the tables that every method holds, the factors of a dense model, and
// the tables that trajectories are drawn from. Less than the truth where the utility, the set or
// the method have more: a refusal is never wrong, a run may still fail.
MemoryNeed memory_need(const ProblemConfig& config);

// Throws InvalidInput where that is more than there is (memory.hpp), before anything is allocated.
void check_memory(const MemoryNeed& need);

}  // namespace rgu
