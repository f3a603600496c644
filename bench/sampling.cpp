// Environment steps per second: a straightforward simulator against rgu's, and what the gradient
// adds to the walk.
//
//   bench_sampling [--check] [--instructions portable | avx2 | avx512] [options of the harness]
#include <benchmark/benchmark.h>

#include <random>

#include "models.hpp"
#include "ratios.hpp"
#include "rgu/mdp/sampler.hpp"
#include "rgu/mdp/softmax.hpp"

namespace rgu::bench {
namespace {

constexpr BatchSize kBatch{.trajectories = 256, .horizon = 50};
constexpr BatchSize kLargeBatch{.trajectories = 4096, .horizon = 50};

struct Size {
  Index states;
  Index actions;
};
constexpr Size kSizes[] = {{10, 5}, {1000, 10}};

Size size_of(const benchmark::State& state) { return state.range(0) == 10 ? kSizes[0] : kSizes[1]; }

// What one writes first: a cumulative row, a linear scan, the standard library's engine.
class PlainSimulator {
 public:
  explicit PlainSimulator(const FiniteMdp& mdp)
      : mdp_(mdp), start_(1, mdp.states()), next_(mdp.dense_kernel()) {
    start_.row(0) = mdp.start().transpose();
    accumulate(start_);
    accumulate(next_);
  }

  Matrix occupancy(const Matrix& pi, BatchSize batch, std::mt19937_64& engine) const {
    Matrix policy = pi;
    accumulate(policy);
    Matrix lambda = Matrix::Zero(pi.rows(), pi.cols());
    for (Index i = 0; i < batch.trajectories; ++i) {
      Index s = draw(start_, 0, engine);
      double weight = (1.0 - mdp_.discount()) / static_cast<double>(batch.trajectories);
      for (Index h = 0; h < batch.horizon; ++h) {
        const Index a = draw(policy, s, engine);
        lambda(s, a) += weight;
        weight *= mdp_.discount();
        s = draw(next_, s * mdp_.actions() + a, engine);
      }
    }
    return lambda;
  }

 private:
  static void accumulate(Matrix& rows) {
    for (Index r = 0; r < rows.rows(); ++r) {
      for (Index i = 1; i < rows.cols(); ++i) rows(r, i) += rows(r, i - 1);
    }
  }

  static Index draw(const Matrix& rows, Index row, std::mt19937_64& engine) {
    const double u = std::uniform_real_distribution<double>()(engine);
    Index i = 0;
    while (i + 1 < rows.cols() && u >= rows(row, i)) ++i;
    return i;
  }

  const FiniteMdp& mdp_;
  Matrix start_;
  Matrix next_;
};

const FiniteMdp& model(Size size) {
  static const FiniteMdp small = dense_model(kSizes[0].states, kSizes[0].actions, 0.95);
  static const FiniteMdp large = dense_model(kSizes[1].states, kSizes[1].actions, 0.95);
  return size.states == kSizes[0].states ? small : large;
}

void count_steps(benchmark::State& state, BatchSize batch) {
  state.counters["steps/s"] =
      benchmark::Counter(static_cast<double>(batch.trajectories * batch.horizon),
                         benchmark::Counter::kIsIterationInvariantRate);
}

void plain(benchmark::State& state) {
  const Size size = size_of(state);
  const PlainSimulator simulator(model(size));
  const Matrix pi = random_policy(size.states, size.actions);
  std::mt19937_64 engine(1);
  for (auto _ : state) benchmark::DoNotOptimize(simulator.occupancy(pi, kBatch, engine));
  count_steps(state, kBatch);
}

void occupancy(benchmark::State& state) {
  const Size size = size_of(state);
  ThreadPool pool(1);
  const TrajectorySampler sampler(model(size), pool);
  const Matrix pi = random_policy(size.states, size.actions);
  Rng rng(1);
  for (auto _ : state) benchmark::DoNotOptimize(sampler.occupancy(pi, kBatch, rng.fork()));
  count_steps(state, kBatch);
}

// From trajectories to grad_theta, the score of the softmax included.
void gradient(benchmark::State& state) {
  const Size size = size_of(state);
  ThreadPool pool(1);
  const TrajectorySampler sampler(model(size), pool);
  const TabularSoftmax policy({.states = size.states, .actions = size.actions});
  Rng rng(1);
  const Vector theta = normal_vector(policy.dimension(), rng);
  const Matrix pi = policy.probabilities(theta);
  const Matrix cost = random_policy(size.states, size.actions);
  for (auto _ : state) {
    const Matrix weights = sampler.score_weights(pi, cost, kBatch, rng.fork());
    benchmark::DoNotOptimize(policy.score(theta, pi, weights));
  }
  count_steps(state, kBatch);
}

// args: states, threads.
void large_batch(benchmark::State& state) {
  const Size size = size_of(state);
  ThreadPool pool(static_cast<int>(state.range(1)));
  const TrajectorySampler sampler(model(size), pool);
  const Matrix pi = random_policy(size.states, size.actions);
  Rng rng(1);
  for (auto _ : state) benchmark::DoNotOptimize(sampler.occupancy(pi, kLargeBatch, rng.fork()));
  count_steps(state, kLargeBatch);
}

// What two cores of this machine give to work that shares nothing: the ceiling of the above.
void independent(benchmark::State& state) {
  ThreadPool pool(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    pool.for_each(16, [](Index piece) {
      std::uint64_t word = static_cast<std::uint64_t>(piece) + 1;
      for (int i = 0; i < 100000; ++i) word ^= word * 6364136223846793005U + 1;
      benchmark::DoNotOptimize(word);
    });
  }
}

BENCHMARK(independent)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(plain)->Arg(10)->Arg(1000)->UseRealTime();
BENCHMARK(occupancy)->Arg(10)->Arg(1000)->UseRealTime();
BENCHMARK(gradient)->Arg(10)->Arg(1000)->UseRealTime();
BENCHMARK(large_batch)
    ->Args({10, 1})
    ->Args({10, 2})
    ->Args({1000, 1})
    ->Args({1000, 2})
    ->UseRealTime();

}  // namespace
}  // namespace rgu::bench

int main(int argc, char** argv) {
  using rgu::InstructionSet;
  using rgu::bench::Ratio;
  const std::optional<InstructionSet> set = rgu::bench::choose_instructions(argc, argv);
  if (!set) return 2;
  const double small = *set == InstructionSet::kPortable ? 3
                       : *set == InstructionSet::kAvx2   ? 8
                                                         : 10;
  return rgu::bench::run(
      argc, argv,
      {{"sampling, S=10 A=5: plain simulator / rgu", "plain/10", "occupancy/10", small},
       {"sampling, S=1000 A=10: plain simulator / rgu", "plain/1000", "occupancy/1000", 10},
       {"S=10: sampled gradient / sampling alone", "gradient/10", "occupancy/10", 1.6,
        Ratio::kAtMost},
       {"S=1000: sampled gradient / sampling alone", "gradient/1000", "occupancy/1000", 1.6,
        Ratio::kAtMost},
       {"S=10: one thread / two", "large_batch/10/1", "large_batch/10/2", 1.8},
       {"S=1000: one thread / two", "large_batch/1000/1", "large_batch/1000/2", 1.8},
       {"the machine itself, independent work: one thread / two", "independent/1",
        "independent/2"}});
}
