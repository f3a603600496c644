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

void check_options(const GarnetOptions& options) {
  check_kernel_size({.states = options.states, .actions = options.actions});
  check(options.branching >= 1 && options.branching <= options.states,
        "branching is {}, must be in 1 .. {}, the number of states", options.branching,
        options.states);
  check_kernel_size({.states = options.states,
                     .actions = options.actions,
                     .entries = options.states * options.actions * options.branching});
}

}  // namespace

World garnet(const GarnetOptions& options, Rng& rng) {
  check_options(options);
  const Index rows = options.states * options.actions;
  SparseMatrix kernel(rows, options.states);
  kernel.reserve(rows * options.branching);
  SuccessorDraw successors(options.states, options.branching);
  std::vector<double> cuts;
  for (Index row = 0; row < rows; ++row) {
    draw_cuts(options.branching, rng, cuts);
    kernel.startVec(row);
    std::size_t piece = 0;
    for (const Index next : successors(rng)) {
      kernel.insertBack(row, next) = cuts[piece + 1] - cuts[piece];
      ++piece;
    }
  }
  kernel.finalize();
  Matrix reward(options.states, options.actions);
  for (double& r : reward.reshaped<Eigen::RowMajor>()) r = rng.normal();
  const Vector start = Vector::Constant(options.states, 1.0 / static_cast<double>(options.states));
  return World{.mdp = FiniteMdp(std::move(kernel), start, options.discount),
               .signals = {{"reward", std::move(reward)}}};
}

}  // namespace rgu
