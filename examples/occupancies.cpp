// A first look: where a policy spends its time, how bad its reward may get, and which way to change
// the policy, computed exactly and from samples.
#include <fmt/core.h>

#include <cmath>

#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/gradient/exact_oracle.hpp"
#include "rgu/gradient/sampled_oracle.hpp"
#include "rgu/mdp/generators.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/mdp/softmax.hpp"
#include "rgu/utility/reward_robust.hpp"

namespace {

constexpr const char* kMap =
    "S..H\n"
    ".#..\n"
    "...G\n";

void print_on_grid(const rgu::GridLayout& grid, const rgu::Vector& per_state) {
  std::vector<std::string> cells(static_cast<std::size_t>(grid.rows * grid.columns), "   wall");
  for (std::size_t s = 0; s < grid.cell_of_state.size(); ++s) {
    cells[grid.cell_of_state[s]] = fmt::format("{:7.4f}", per_state[static_cast<rgu::Index>(s)]);
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    fmt::print("{}{}", cells[i], (i + 1) % grid.columns == 0 ? "\n" : "  ");
  }
}

}  // namespace

int main() {
  const rgu::World world = rgu::grid_world(kMap, {.slip = 0.1, .discount = 0.9});
  const rgu::FiniteMdp& mdp = world.mdp;
  const rgu::TabularSoftmax policy({.states = mdp.states(), .actions = mdp.actions()});
  const rgu::Vector theta = rgu::Vector::Zero(policy.dimension());  // the uniform policy

  fmt::print("A {}-state grid world: start S, goal G, hazard H, wall #\n\n{}\n", mdp.states(),
             kMap);
  const rgu::Matrix lambda = rgu::occupancy(mdp, policy.probabilities(theta));
  fmt::print("State occupancy of the uniform policy (it sums to 1):\n");
  print_on_grid(*world.grid, lambda.rowwise().sum());
  fmt::print("flow residual {:.1e}\n\n", rgu::flow_residual(mdp, lambda));

  // The reward is known up to an l2 error of 0.1: nature takes the worst reward in the ball.
  const rgu::Vector reward = rgu::flatten(world.signals.at("reward"));
  const rgu::LpBall ball({.centre = reward, .radius = 0.1});
  const rgu::RewardRobust utility({.states = mdp.states(), .actions = mdp.actions()});
  const rgu::Vector slope = utility.evaluate(lambda, reward).nature;
  const rgu::Vector worst = ball.support_point(slope);
  fmt::print("Expected reward, nominal: {:.6f}   worst in the ball: {:.6f}\n\n",
             -utility.evaluate(lambda, reward).value, -utility.evaluate(lambda, worst).value);

  const rgu::SaddlePoint at{theta, worst};
  const rgu::SaddleGradient exact = rgu::ExactOracle(mdp, policy, utility).gradient(at);
  rgu::ThreadPool pool(2);
  const rgu::TrajectorySampler sampler(mdp, pool);
  const rgu::SampledOracle sampled(sampler, policy, utility,
                                   {.occupancy = {20000, 100}, .policy = {20000, 100}});
  rgu::Rng rng(1);
  const rgu::SaddleGradient estimate = sampled.estimate(at, rng);
  fmt::print("Gradient of the worst-case cost in the logits of the start state:\n");
  const char* const names[] = {"north", "east", "south", "west"};
  for (rgu::Index a = 0; a < mdp.actions(); ++a) {
    fmt::print("  {:<6} exact {:+.6f}   from 20000 trajectories {:+.6f}\n", names[a],
               exact.policy[a], estimate.policy[a]);
  }
  fmt::print("Distance of the two gradients: {:.2e} of {:.2e}\n",
             (exact.policy - estimate.policy).norm(), exact.policy.norm());
}
