#include "rgu/mdp/world_slice.hpp"

#include <cmath>
#include <limits>

#include "rgu/base/check.hpp"
#include "rgu/mdp/kernel_rows.hpp"

namespace rgu {
namespace {

SparseMatrix rows_of(const FiniteMdp& mdp, Index first_row, Index count) {
  if (mdp.is_sparse()) return mdp.sparse_kernel().middleRows(first_row, count);
  const auto rows = mdp.dense_kernel().middleRows(first_row, count);
  constexpr Index kMost = std::numeric_limits<std::int32_t>::max();
  const Index entries = (rows.array() != 0).count();
  check(entries <= kMost, "slice has {} transitions, must have at most {}", entries, kMost);
  return rows.sparseView(0.0, 0.0);
}

}  // namespace

void check_range(const StateRange& own, Index states) {
  check(0 <= own.first && own.first <= own.last && own.last <= states,
        "range of states is {} .. {}, must lie in 0 .. {}", own.first, own.last, states);
}

void check_slice(const WorldSlice& slice) {
  check_discount(slice.discount);
  check_range(slice.own, slice.states);
  check_count("number of actions", slice.actions);
  const Index own = slice.own.size();
  check_size("rows of the slice", slice.rows.rows(), own * slice.actions);
  check_size("columns of the slice", slice.rows.cols(), slice.states);
  check_size("start of the slice", slice.start.size(), own);
  check_kernel_rows(slice.rows,
                    {.actions = slice.actions, .first_row = slice.own.first * slice.actions});
  for (Index i = 0; i < own; ++i) {
    check(std::isfinite(slice.start(i)) && slice.start(i) >= 0,
          "start probability s={} is {}, must be finite and >= 0", slice.own.first + i,
          slice.start(i));
  }
  for (const auto& [name, signal] : slice.signals) {
    check_shape("signal of the slice", signal, {own, slice.actions});
    check_finite("signal of the slice", signal);
  }
}

WorldSlice slice_of(const World& world, const StateRange& own) {
  const FiniteMdp& mdp = world.mdp;
  check_range(own, mdp.states());
  WorldSlice slice{.states = mdp.states(),
                   .actions = mdp.actions(),
                   .discount = mdp.discount(),
                   .own = own,
                   .rows = rows_of(mdp, own.first * mdp.actions(), own.size() * mdp.actions()),
                   .start = mdp.start().segment(own.first, own.size())};
  for (const auto& [name, signal] : world.signals) {
    slice.signals[name] = signal.middleRows(own.first, own.size());
  }
  return slice;
}

World world_of(WorldSlice slice) {
  check(slice.own == StateRange{0, slice.states},
        "slice owns the states {} .. {}, must own all of 0 .. {}", slice.own.first, slice.own.last,
        slice.states);
  return World{.mdp = FiniteMdp(std::move(slice.rows), std::move(slice.start), slice.discount),
               .signals = std::move(slice.signals)};
}

}  // namespace rgu
