#include "rgu/mdp/generators/river_swim.hpp"

#include "rgu/base/check.hpp"
#include "rgu/mdp/generators/outcomes.hpp"

namespace rgu {
namespace {

std::vector<Outcome> swim_right(Index state, Index last) {
  if (state == 0) return {{0, 0.7}, {1, 0.3}};
  if (state == last) return {{last - 1, 0.7}, {last, 0.3}};
  return {{state - 1, 0.1}, {state, 0.6}, {state + 1, 0.3}};
}

}  // namespace

World river_swim(const RiverSwimOptions& options) {
  check_count("number of states", options.states, 3);
  check_kernel_size({.states = options.states, .actions = 2});
  check_kernel_size({.states = options.states, .actions = 2, .entries = 4 * options.states});
  check_finite("small reward", options.small_reward);
  check_finite("large reward", options.large_reward);
  const Index last = options.states - 1;
  SparseMatrix kernel(2 * options.states, options.states);
  kernel.reserve(4 * options.states);
  for (Index s = 0; s <= last; ++s) {
    append_row(kernel, 2 * s, {{s == 0 ? 0 : s - 1, 1.0}});
    append_row(kernel, 2 * s + 1, swim_right(s, last));
  }
  kernel.finalize();
  Matrix reward = Matrix::Zero(options.states, 2);
  reward(0, 0) = options.small_reward;
  reward(last, 1) = 0.3 * options.large_reward;
  Vector start = Vector::Zero(options.states);
  start(1) = start(2) = 0.5;
  return World{.mdp = FiniteMdp(std::move(kernel), start, options.discount),
               .signals = {{"reward", std::move(reward)}}};
}

}  // namespace rgu
