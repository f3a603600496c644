// The exact gradient against its floor: one LU factorisation of that size, by LAPACK's dgetrf as
// any program would call it, and two reads of the kernel. The floor is not ours to improve: small
// systems are factorised by loops of this library, which are faster than dgetrf there.
#include <benchmark/benchmark.h>

#include "models.hpp"
#include "ratios.hpp"
#include "rgu/base/blas_setup.hpp"
#include "rgu/gradient/exact_oracle.hpp"
#include "rgu/mdp/softmax.hpp"

extern "C" void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* ipiv,
                        int* info);

namespace rgu::bench {
namespace {

constexpr Index kActions = 5;

// f = <xi, lambda>: the utility costs next to nothing, so that the oracle itself is measured.
class LinearUtility final : public Utility {
 public:
  LinearUtility(Index states, Index actions)
      : Utility({.states = states, .actions = actions, .nature = states * actions}) {}

  UtilityGradient evaluate(const Matrix& occupancy, const Vector& nature) const override {
    const auto cost = as_matrix(nature, states(), actions());
    return {.value = cost.cwiseProduct(occupancy).sum(),
            .occupancy = cost,
            .nature = flatten(occupancy)};
  }
  UtilityTraits traits() const override { return {true, NatureShape::kLinear, 0}; }
  UtilityConstants constants(double) const override { return {}; }
};

const FiniteMdp& model(Index states) {
  static std::map<Index, FiniteMdp> models;
  return models.try_emplace(states, dense_model(states, kActions, 0.95)).first->second;
}

void floor(benchmark::State& state) {
  const FiniteMdp& mdp = model(state.range(0));
  prepare_blas();
  const auto n = static_cast<int>(mdp.states());
  const Eigen::MatrixXd matrix =
      Eigen::MatrixXd::Identity(n, n) - 0.95 * mdp.dense_kernel().topRows(n);
  Eigen::MatrixXd factor(n, n);
  std::vector<int> pivots(static_cast<std::size_t>(n));
  for (auto _ : state) {
    factor = matrix;
    int info = 0;
    dgetrf_(&n, &n, factor.data(), &n, pivots.data(), &info);
    benchmark::DoNotOptimize(info);
    for (int read = 0; read < 2; ++read) {
      benchmark::DoNotOptimize(mdp.dense_kernel().data());
      benchmark::ClobberMemory();
      benchmark::DoNotOptimize(mdp.dense_kernel().sum());
    }
  }
}

void exact_gradient(benchmark::State& state) {
  const FiniteMdp& mdp = model(state.range(0));
  const TabularSoftmax policy({.states = mdp.states(), .actions = mdp.actions()});
  const LinearUtility utility(mdp.states(), mdp.actions());
  const ExactOracle oracle(mdp, policy, utility);
  Rng rng(3);
  const SaddlePoint at{normal_vector(policy.dimension(), rng),
                       normal_vector(policy.dimension(), rng)};
  for (auto _ : state) benchmark::DoNotOptimize(oracle.gradient(at));
}

BENCHMARK(floor)->Arg(10)->Arg(100)->Arg(1000)->UseRealTime();
BENCHMARK(exact_gradient)->Arg(10)->Arg(100)->Arg(1000)->UseRealTime();

}  // namespace
}  // namespace rgu::bench

int main(int argc, char** argv) {
  using rgu::bench::Ratio;
  std::vector<Ratio> ratios;
  for (const char* size : {"10", "100", "1000"}) {
    ratios.push_back(
        {std::string("S=") + size + ": exact gradient / (LU + two reads of the kernel)",
         std::string("exact_gradient/") + size, std::string("floor/") + size, 1.5, Ratio::kAtMost});
  }
  return rgu::bench::run(argc, argv, ratios);
}
