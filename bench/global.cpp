// Time to a proven gap against the size of the model: the envelope solver on Garnet models, with
// the growth exponent between the smallest and the largest size. One run prints the whole table.
//   bench_global [LARGEST_STATES]   (default 1000; 100000 takes minutes)
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/matrix_ball.hpp"
#include "rgu/ambiguity/singleton.hpp"
#include "rgu/base/blas_setup.hpp"
#include "rgu/global/envelope.hpp"
#include "rgu/mdp/generators.hpp"
#include "rgu/utility/constrained.hpp"
#include "rgu/utility/drift.hpp"
#include "rgu/utility/entropy.hpp"
#include "rgu/utility/reward_robust.hpp"

namespace rgu::bench {
namespace {

constexpr Index kActions = 10;

struct Problem {
  std::unique_ptr<Utility> utility;
  std::unique_ptr<ConvexSet> ambiguity;
};

Matrix uniform_matrix(Index rows, Index columns, Rng& rng) {
  return Matrix::NullaryExpr(rows, columns, [&] { return rng.uniform(); });
}

// A radius of sqrt(S A) / 4 changes every reward by a quarter, if all alike.
Problem reward_robust(Index states, Rng& rng) {
  const Index pairs = states * kActions;
  return {
      std::make_unique<RewardRobust>(OccupancyShape{.states = states, .actions = kActions}),
      std::make_unique<LpBall>(LpBallShape{.centre = flatten(uniform_matrix(states, kActions, rng)),
                                           .radius = 0.25 * std::sqrt(static_cast<double>(pairs)),
                                           .p = 2})};
}

Problem constrained(Index states, Rng& rng) {
  return {std::make_unique<Constrained>(
              ConstrainedCosts{.objective = -uniform_matrix(states, kActions, rng),
                               .constraints = {uniform_matrix(states, kActions, rng),
                                               uniform_matrix(states, kActions, rng)},
                               .thresholds = Vector::Constant(2, 0.4)}),
          std::make_unique<Box>(uniform_box(2, {0, 50}))};
}

Problem entropy(Index states, Rng&) {
  return {std::make_unique<Entropy>(EntropyOptions{.shape = {.states = states, .actions = kActions},
                                                   .over = Marginal::kStateActions}),
          std::make_unique<Singleton>(Vector(0))};
}

Problem drift(Index states, Rng& rng) {
  return {std::make_unique<Drift>(DriftOptions{
              .actions = kActions,
              .features = Matrix::NullaryExpr(states * kActions, 8, [&] { return rng.normal(); }),
              .dimension = 4}),
          std::make_unique<FrobeniusBall>(Matrix::Identity(4, 8), 0.5)};
}

struct Family {
  const char* name;
  std::function<Problem(Index, Rng&)> make;
  double tolerance;
  Index largest;
};

double seconds_of(const Family& family, Index states) {
  Rng rng(static_cast<std::uint64_t>(states));
  const World world = garnet({.states = states,
                              .actions = kActions,
                              .branching = std::min<Index>(10, states),
                              .discount = 0.95},
                             rng);
  const Problem problem = family.make(states, rng);
  const auto begin = std::chrono::steady_clock::now();
  EnvelopeSolver solver(world.mdp, *problem.utility, *problem.ambiguity, family.tolerance);
  while (solver.advance()) {
    if (std::getenv("RGU_BENCH_TRACE") != nullptr) {
      fmt::print(stderr, "{} {:.9g} {:.9g} {:.2e}\n", solver.best().iterations, solver.best().value,
                 solver.best().lower_bound, solver.best().gap() / std::abs(solver.best().value));
    }
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const GlobalSolution& best = solver.best();
  fmt::print("| {} | {} | {} | {:.1e} | {:.1e} | {} | {:.3g} s | {} |\n", family.name, states,
             world.mdp.transitions(), family.tolerance, best.gap() / std::abs(best.value),
             best.iterations, seconds, best.method);
  std::fflush(stdout);
  return seconds;
}

void measure(const Family& family, Index largest) {
  double first = 0, last = 0;
  Index from = 0, to = 0;
  for (Index states = 10; states <= std::min(largest, family.largest); states *= 10) {
    const double seconds = seconds_of(family, states);
    if (from == 0) {
      from = states;
      first = seconds;
    }
    to = states;
    last = seconds;
  }
  if (to > from) {
    fmt::print(
        "{}: time grows as S^{:.2f} from S = {} to {}\n", family.name,
        std::log(last / first) / std::log(static_cast<double>(to) / static_cast<double>(from)),
        from, to);
  }
}

}  // namespace
}  // namespace rgu::bench

int main(int argc, char** argv) {
  using namespace rgu::bench;
  rgu::prepare_blas();
  const rgu::Index largest = argc > 1 ? std::atol(argv[1]) : 1000;
  const std::string only = argc > 2 ? argv[2] : "";
  fmt::print("| problem | S | transitions | asked | proven gap | steps | time | by |\n");
  for (const Family& family :
       {Family{"reward-robust, l2", reward_robust, 1e-3, 100000},
        Family{"constrained", constrained, 1e-3, 100000}, Family{"entropy", entropy, 1e-3, 100000},
        Family{"drift", drift, 1e-4, 100}}) {
    if (only.empty() || only == family.name) measure(family, largest);
  }
}
