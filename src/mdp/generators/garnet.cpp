#include "rgu/mdp/generators/garnet.hpp"

#include <algorithm>
#include <vector>

#include "rgu/base/check.hpp"
#include "rgu/mdp/generators/outcomes.hpp"

namespace rgu {
namespace {

// Draws sets of distinct states. Floyd's method: at step j, from count - 0 .. j, take a uniform
// draw from 0 .. j, or j itself if that draw is already in the set; every set is equally likely.
// Whether a state is in the set is known from the number of the draw that took it last, so nothing
// is cleared between draws.
class SuccessorDraw {
 public:
  SuccessorDraw(Index states, Index count)
      : taken_by_(static_cast<std::size_t>(states), 0), count_(count) {}

  // Sorted; valid until the next call.
  const std::vector<Index>& operator()(Rng& rng) {
    ++draw_;
    set_.clear();
    const Index states = std::ssize(taken_by_);
    for (Index j = states - count_; j < states; ++j) {
      const auto candidate = static_cast<Index>(rng.below(static_cast<std::uint64_t>(j) + 1));
      take(is_taken(candidate) ? j : candidate);
    }
    std::sort(set_.begin(), set_.end());
    return set_;
  }

 private:
  bool is_taken(Index state) const { return taken_by_[static_cast<std::size_t>(state)] == draw_; }
  void take(Index state) {
    taken_by_[static_cast<std::size_t>(state)] = draw_;
    set_.push_back(state);
  }

  std::vector<std::uint32_t> taken_by_;  // state -> number of the draw that took it last
  std::uint32_t draw_ = 0;               // there are fewer than 2^31 rows
  Index count_;
  std::vector<Index> set_;
};

// The ends 0 and 1 and `count - 1` sorted uniform points between them. Drawn again in the rare case
// that two coincide, so that every piece has a length.
void draw_cuts(Index count, Rng& rng, std::vector<double>& cuts) {
  do {
    cuts.assign(1, 0.0);
    for (Index i = 1; i < count; ++i) cuts.push_back(rng.uniform());
    cuts.push_back(1.0);
    std::sort(cuts.begin(), cuts.end());
  } while (std::adjacent_find(cuts.begin(), cuts.end()) != cuts.end());
}

void check_options(const GarnetOptions& options, const StateRange& own) {
  check_count("number of states", options.states);
  check_range(own, options.states);
  const Index kept = options.row_streams ? own.size() : options.states;
  check_kernel_size({.states = options.states, .actions = options.actions, .own = kept});
  check(options.branching >= 1 && options.branching <= options.states,
        "branching is {}, must be in 1 .. {}, the number of states", options.branching,
        options.states);
  // A product of a number below 2^31 and one of at most 2^31: no overflow.
  check_kernel_size({.states = options.states,
                     .actions = options.actions,
                     .entries = kept * options.actions * options.branching,
                     .own = kept});
}

// The rows of one slice, drawn and kept, or drawn and thrown away.
class RowDraw {
 public:
  RowDraw(const GarnetOptions& options, const StateRange& own)
      : options_(options),
        successors_(options.states, options.branching),
        rows_(own.size() * options.actions, options.states) {
    rows_.reserve(own.size() * options.actions * options.branching);
  }

  void skip_state(Rng& rng) {
    for (Index a = 0; a < options_.actions; ++a) {
      draw_cuts(options_.branching, rng, cuts_);
      successors_(rng);
    }
  }

  void add_state(Rng& rng) {
    for (Index a = 0; a < options_.actions; ++a, ++row_) {
      draw_cuts(options_.branching, rng, cuts_);
      rows_.startVec(row_);
      std::size_t piece = 0;
      for (const Index next : successors_(rng)) {
        rows_.insertBack(row_, next) = cuts_[piece + 1] - cuts_[piece];
        ++piece;
      }
    }
  }

  SparseMatrix take() {
    rows_.finalize();
    SparseMatrix taken;
    taken.swap(rows_);  // Eigen's sparse matrices are copied when they are moved
    return taken;
  }

 private:
  const GarnetOptions& options_;
  SuccessorDraw successors_;
  SparseMatrix rows_;
  Index row_ = 0;
  std::vector<double> cuts_;
};

struct Drawn {
  SparseMatrix rows;  // (own * A, S)
  Matrix reward;      // (own, A)
};

// One stream for all: every row, then every reward.
Drawn drawn_in_order(const GarnetOptions& options, const StateRange& own, Rng& rng) {
  RowDraw rows(options, own);
  for (Index s = 0; s < options.states; ++s) {
    if (s >= own.first && s < own.last) {
      rows.add_state(rng);
    } else {
      rows.skip_state(rng);
    }
  }
  Matrix reward(own.size(), options.actions);
  for (Index s = 0; s < options.states; ++s) {
    for (Index a = 0; a < options.actions; ++a) {
      const double r = rng.normal();
      if (s >= own.first && s < own.last) reward(s - own.first, a) = r;
    }
  }
  return {.rows = rows.take(), .reward = std::move(reward)};
}

// A stream for each state: its rows, then its rewards.
Drawn drawn_by_state(const GarnetOptions& options, const StateRange& own, Rng& rng) {
  const StreamFamily family = rng.fork();
  RowDraw rows(options, own);
  Matrix reward(own.size(), options.actions);
  for (Index i = 0; i < own.size(); ++i) {
    Rng of_state(family, static_cast<std::uint32_t>(own.first + i));
    rows.add_state(of_state);
    for (double& r : reward.row(i)) r = of_state.normal();
  }
  return {.rows = rows.take(), .reward = std::move(reward)};
}

WorldSlice drawn_slice(const GarnetOptions& options, const StateRange& own, Rng& rng) {
  check_options(options, own);
  Drawn drawn =
      options.row_streams ? drawn_by_state(options, own, rng) : drawn_in_order(options, own, rng);
  WorldSlice slice{.states = options.states,
                   .actions = options.actions,
                   .discount = options.discount,
                   .own = own,
                   .rows = {},
                   .start = Vector::Constant(own.size(), 1.0 / static_cast<double>(options.states)),
                   .signals = {{"reward", std::move(drawn.reward)}}};
  slice.rows.swap(drawn.rows);
  return slice;
}

}  // namespace

World garnet(const GarnetOptions& options, Rng& rng) {
  return world_of(drawn_slice(options, {0, options.states}, rng));
}

WorldSlice garnet_slice(const GarnetOptions& options, const StateRange& own, Rng& rng) {
  WorldSlice slice = drawn_slice(options, own, rng);
  check_slice(slice);
  return slice;
}

}  // namespace rgu
