// Time to a proven gap on balls of rewards, l1 beside l2 on the same model, in one run.
//   bench_reward_balls [STATES] [TOLERANCE] [MODEL] [SHARE]
// (defaults 100000, 1e-3, all models, all shares of the l1 ball)
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <string>

#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/base/blas_setup.hpp"
#include "rgu/global/envelope.hpp"
#include "rgu/mdp/generators.hpp"
#include "rgu/utility/reward_robust.hpp"

namespace rgu::bench {
namespace {

struct Case {
  std::string name;
  bool grid = false;
  double discount = 0.95;
};

World world_of(const Case& which, Index states) {
  Rng rng(static_cast<std::uint64_t>(states));
  if (!which.grid) {
    return garnet({.states = states, .actions = 10, .branching = 10, .discount = which.discount},
                  rng);
  }
  // A square where one cell in ten is a start.
  const auto side = static_cast<Index>(std::sqrt(static_cast<double>(states)));
  std::string map;
  for (Index row = 0; row < side; ++row) {
    for (Index column = 0; column < side; ++column) map += rng.uniform() < 0.1 ? 'S' : '.';
    map += '\n';
  }
  return grid_world(map, {.slip = 0.1, .discount = which.discount});
}

// Rewards uniform in [0, 1]; `share` is what every reward may lose, if all lose alike.
void measure(const Case& which, const World& world, double p, double share, double tolerance) {
  const Index pairs = world.mdp.states() * world.mdp.actions();
  Rng rng(7);
  const Vector centre = Vector::NullaryExpr(pairs, [&] { return rng.uniform(); });
  const RewardRobust utility({.states = world.mdp.states(), .actions = world.mdp.actions()});
  const LpBall ball(
      {.centre = centre, .radius = share * std::pow(static_cast<double>(pairs), 1 / p), .p = p});
  const std::clock_t begin = std::clock();  // of this process: other programs do not count
  const auto seconds = [&] {
    return static_cast<double>(std::clock() - begin) / static_cast<double>(CLOCKS_PER_SEC);
  };
  EnvelopeSolver solver(world.mdp, utility, ball, GapTolerance(tolerance, 1e-12));
  const bool traced = std::getenv("RGU_BENCH_TRACE") != nullptr;
  while (solver.advance()) {
    if (!traced) continue;
    const GlobalSolution& best = solver.best();
    fmt::print(stderr, "{:4} {:7.2f} s {:.9g} {:.9g} {:.2e} {}\n", best.iterations, seconds(),
               best.value, best.lower_bound, best.gap() / std::abs(best.value), best.method);
  }
  const GlobalSolution& best = solver.best();
  fmt::print("| {} | l{} | {} | {} | {:.6g} | {:.1e} | {} | {:.3g} s | {} |\n", which.name, p,
             share, world.mdp.transitions(), best.value, best.gap() / std::abs(best.value),
             best.iterations, seconds(), best.method);
  std::fflush(stdout);
}

}  // namespace
}  // namespace rgu::bench

int main(int argc, char** argv) {
  using namespace rgu::bench;
  rgu::prepare_blas();
  const rgu::Index states = argc > 1 ? std::atol(argv[1]) : 100000;
  const double tolerance = argc > 2 ? std::atof(argv[2]) : 1e-3;
  const std::string only = argc > 3 ? argv[3] : "";
  const double share_only = argc > 4 ? std::atof(argv[4]) : 0;
  fmt::print("| model | ball | share | transitions | value | proven | steps | time | by |\n");
  for (const Case& which : {Case{"garnet 0.95", false, 0.95}, Case{"garnet 0.99", false, 0.99},
                            Case{"grid 0.95", true, 0.95}, Case{"grid 0.99", true, 0.99}}) {
    if (!only.empty() && only != which.name) continue;
    const rgu::World world = world_of(which, states);
    measure(which, world, 2, 0.25, tolerance);
    for (const double share : {0.001, 0.02, 0.1, 0.5}) {
      if (share_only > 0 && share != share_only) continue;
      measure(which, world, 1, share, tolerance);
    }
  }
}
