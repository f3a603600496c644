#include "rgu/mdp/generators/outcomes.hpp"

#include <algorithm>
#include <limits>

#include "rgu/base/check.hpp"

namespace rgu {

void check_kernel_size(const KernelSize& size) {
  constexpr Index kMost = std::numeric_limits<std::int32_t>::max();
  check_count("number of states", size.states);
  check_count("number of actions", size.actions);
  // Each factor first, so that no product can overflow.
  const Index own = size.own.value_or(size.states);
  check(size.states <= kMost && size.actions <= kMost && own * size.actions <= kMost &&
            size.entries <= kMost,
        "model with {} states, {} actions and {} transitions is too large, must have at most {} "
        "state-action pairs and as many transitions",
        own, size.actions, size.entries, kMost);
}

void append_row(SparseMatrix& kernel, Index row, std::vector<Outcome> outcomes) {
  std::stable_sort(outcomes.begin(), outcomes.end(),
                   [](const Outcome& x, const Outcome& y) { return x.next < y.next; });
  kernel.startVec(row);
  for (std::size_t i = 0; i < outcomes.size();) {
    const Index next = outcomes[i].next;
    double probability = 0;
    for (; i < outcomes.size() && outcomes[i].next == next; ++i) {
      probability += outcomes[i].probability;
    }
    if (probability > 0) kernel.insertBack(row, next) = probability;
  }
}

}  // namespace rgu
