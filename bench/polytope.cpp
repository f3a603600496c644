// Projection onto the occupancy polytope, against the Cholesky factorisations it is made of.
#include <benchmark/benchmark.h>

#include "models.hpp"
#include "ratios.hpp"
#include "rgu/base/lapack.hpp"
#include "rgu/mdp/occupancy_polytope.hpp"

namespace rgu::bench {
namespace {

constexpr Index kActions = 5;

// args: S * A. Points near the polytope, as a projected gradient method meets them.
void project(benchmark::State& state) {
  const Index states = state.range(0) / kActions;
  const FiniteMdp mdp = dense_model(states, kActions, 0.95);
  const OccupancyPolytope polytope(mdp);
  Rng rng(4);
  const Vector point = polytope.project(normal_vector(state.range(0), rng)) +
                       normal_vector(state.range(0), rng) / static_cast<double>(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(polytope.project(point));
}

// One Newton system: E E' and its Cholesky factor.
void newton_system(benchmark::State& state) {
  const Index states = state.range(0) / kActions;
  const FiniteMdp mdp = dense_model(states, kActions, 0.95);
  for (auto _ : state) {
    Eigen::MatrixXd gram = gram_lower(mdp.dense_kernel());
    gram.diagonal().array() += 1.0;
    benchmark::DoNotOptimize(CholeskyFactor(std::move(gram)));
  }
}

BENCHMARK(project)->Arg(50)->Arg(500)->Arg(5000)->UseRealTime();
BENCHMARK(newton_system)->Arg(50)->Arg(500)->Arg(5000)->UseRealTime();

}  // namespace
}  // namespace rgu::bench

int main(int argc, char** argv) {
  using rgu::bench::Ratio;
  return rgu::bench::run(argc, argv,
                         {{"S x A = 50: projection / one full Newton system", "project/50",
                           "newton_system/50", 30, Ratio::kAtMost},
                          {"S x A = 500: projection / one full Newton system", "project/500",
                           "newton_system/500", 15, Ratio::kAtMost},
                          {"S x A = 5000: projection / one full Newton system", "project/5000",
                           "newton_system/5000", 10, Ratio::kAtMost}});
}
