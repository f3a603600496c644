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

void check_options(const RiverSwimOptions& options, const StateRange& own) {
  check_count("number of states", options.states, 3);
  check_range(own, options.states);
  check_kernel_size({.states = options.states, .actions = 2, .own = own.size()});
  check_kernel_size(
      {.states = options.states, .actions = 2, .entries = 4 * own.size(), .own = own.size()});
  check_finite("small reward", options.small_reward);
  check_finite("large reward", options.large_reward);
}

SparseMatrix rows_of(const RiverSwimOptions& options, const StateRange& own) {
  SparseMatrix rows(2 * own.size(), options.states);
  rows.reserve(4 * own.size());
  for (Index s = own.first; s < own.last; ++s) {
    append_row(rows, 2 * (s - own.first), {{s == 0 ? 0 : s - 1, 1.0}});
    append_row(rows, 2 * (s - own.first) + 1, swim_right(s, options.states - 1));
  }
  rows.finalize();
  return rows;
}

WorldSlice made_slice(const RiverSwimOptions& options, const StateRange& own) {
  check_options(options, own);
  Matrix reward = Matrix::Zero(own.size(), 2);
  Vector start = Vector::Zero(own.size());
  for (Index s = own.first; s < own.last; ++s) {
    if (s == 0) reward(s - own.first, 0) = options.small_reward;
    if (s == options.states - 1) reward(s - own.first, 1) = 0.3 * options.large_reward;
    if (s == 1 || s == 2) start(s - own.first) = 0.5;
  }
  return {.states = options.states,
          .actions = 2,
          .discount = options.discount,
          .own = own,
          .rows = rows_of(options, own),
          .start = std::move(start),
          .signals = {{"reward", std::move(reward)}}};
}

}  // namespace

World river_swim(const RiverSwimOptions& options) {
  return world_of(made_slice(options, {0, options.states}));
}

WorldSlice river_swim_slice(const RiverSwimOptions& options, const StateRange& own) {
  WorldSlice slice = made_slice(options, own);
  check_slice(slice);
  return slice;
}

}  // namespace rgu
