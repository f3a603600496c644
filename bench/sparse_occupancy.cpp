// The occupancy of a policy on a sparse model with ten transitions a state: time per transition
// should not grow with the model.
#include <benchmark/benchmark.h>

#include <chrono>

#include "models.hpp"
#include "ratios.hpp"
#include "rgu/mdp/occupancy.hpp"

namespace rgu::bench {
namespace {

void occupancy_per_transition(benchmark::State& state) {
  const Index states = state.range(0);
  const FiniteMdp mdp = sparse_model(states, 2, 5, 0.95);
  const Matrix pi = random_policy(states, 2);
  // Time is reported for 10^4 states, so that equal times mean equal cost per transition.
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(occupancy(mdp, pi));
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    state.SetIterationTime(time.count() * 1e4 / static_cast<double>(states));
  }
  state.counters["residual"] = flow_residual(mdp, occupancy(mdp, pi));
}

BENCHMARK(occupancy_per_transition)->Arg(10000)->Arg(100000)->Arg(1000000)->UseManualTime();

}  // namespace
}  // namespace rgu::bench

int main(int argc, char** argv) {
  using rgu::bench::Ratio;
  return rgu::bench::run(
      argc, argv,
      {{"time per transition, 10^6 states / 10^4 states", "occupancy_per_transition/1000000",
        "occupancy_per_transition/10000", 3, Ratio::kAtMost}});
}
