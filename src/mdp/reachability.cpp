#include "rgu/mdp/reachability.hpp"

#include <utility>

namespace rgu {

std::vector<Index> reachable_states(const FiniteMdp& mdp) {
  std::vector<Index> found;
  std::vector<char> seen(static_cast<std::size_t>(mdp.states()), 0);
  const auto visit = [&](Index s, double p) {
    if (p > 0 && !std::exchange(seen[static_cast<std::size_t>(s)], 1)) found.push_back(s);
  };
  for (Index s = 0; s < mdp.states(); ++s) visit(s, mdp.start()(s));
  for (std::size_t k = 0; k < found.size(); ++k) {
    for (Index a = 0; a < mdp.actions(); ++a) {
      for_each_successor(mdp, found[k] * mdp.actions() + a, visit);
    }
  }
  return found;
}

}  // namespace rgu
