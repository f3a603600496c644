#include "rgu/mdp/sampler.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "laws/models.hpp"
#include "laws/throws.hpp"
#include "rgu/base/philox_lanes.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/mdp/softmax.hpp"

namespace rgu {
namespace {

using testing_models::as_dense;
using testing_models::random_dense;
using testing_models::random_policy;
using testing_models::random_sparse;

TEST(PhiloxLanes, EveryInstructionSetGivesTheBlocksOfRandom123) {
  const StreamFamily family{0x0123456789abcdef, 0xfedcba9876543210};
  const philox::Request request{family.seed, family.stream, 0xFFFFFFF0, 77};
  for (const InstructionSet set : instruction_sets_of_cpu()) {
    std::uint64_t first[kPhiloxLanes], second[kPhiloxLanes];
    philox_kernel(set)(request, first, second);
    for (std::uint32_t j = 0; j < kPhiloxLanes; ++j) {
      const RandomBlock block = family.block(0xFFFFFFF0 + j, 77);
      EXPECT_EQ(first[j], block[0]);
      EXPECT_EQ(second[j], block[1]);
    }
  }
}

TEST(AliasTable, GivesEachOutcomeItsShareOfTheWords) {
  Matrix rows(2, 4);
  rows << 0.5, 0.0, 0.125, 0.375, 0.1, 0.2, 0.3, 0.4;
  const AliasTable table(rows);
  // Equally spaced words hit every outcome in proportion, up to the spacing.
  constexpr int kWords = 1 << 16;
  for (Index row = 0; row < 2; ++row) {
    std::vector<int> count(4, 0);
    for (std::uint64_t k = 0; k < kWords; ++k) {
      ++count[table.draw(row, (k << 48) + (std::uint64_t{1} << 47))];
    }
    for (Index i = 0; i < 4; ++i) {
      EXPECT_NEAR(count[i] / static_cast<double>(kWords), rows(row, i), 4.0 / kWords);
    }
  }
}

TEST(AliasTable, NeverDrawsTheImpossible) {
  Matrix rows(1, 5);
  rows << 0, 1e-300, 0, 1, 0;
  const AliasTable dense(rows);
  const AliasTable sparse(SparseMatrix(rows.sparseView(0, 0)));
  Rng rng(1);
  for (int k = 0; k < 20000; ++k) {
    const std::uint64_t bits = k == 0 ? 0 : k == 1 ? ~std::uint64_t{0} : rng.bits();
    for (const AliasTable* table : {&dense, &sparse}) {
      const std::uint32_t outcome = table->draw(0, bits);
      EXPECT_TRUE(outcome == 1 || outcome == 3);
    }
  }
}

TEST(AliasTable, RefusesRowsWithoutMass) {
  expect_invalid([] { AliasTable(Matrix(Matrix::Zero(2, 3))); }, "row 0 sums to 0");
}

TEST(Walk, DrawsWhatTheTablesDraw) {
  std::vector<Walk> walks = {walk_portable};
#if defined(__x86_64__)
  for (const InstructionSet set : instruction_sets_of_cpu()) {
    if (set == InstructionSet::kAvx2) walks.push_back(walk_avx2);
    if (set == InstructionSet::kAvx512) walks.push_back(walk_avx512);
  }
#endif
  constexpr Index kSteps = 7;
  Rng rng(3);
  for (const auto& [states, actions] : {std::pair<Index, Index>{1, 1}, {2, 3}, {10, 5}, {37, 7}}) {
    const AliasTable policy(testing_models::random_stochastic(states, actions, rng));
    const AliasTable kernel(testing_models::random_stochastic(states * actions, states, rng));
    for (int repetition = 0; repetition < 50; ++repetition) {
      const StreamFamily streams = rng.fork();
      const philox::Request start{streams.seed, streams.stream, 0xFFFFFFF0, 0xFFFFFFFE};
      std::uint32_t before[kPhiloxLanes];
      for (std::uint32_t& s : before) {
        s = static_cast<std::uint32_t>(rng.below(static_cast<std::uint64_t>(states)));
      }
      for (const Walk walk : walks) {
        std::uint32_t pairs[kSteps * kPhiloxLanes];
        walk({.policy = policy.cells(), .kernel = kernel.cells()}, start, kSteps, before, pairs);
        for (std::uint32_t j = 0; j < kPhiloxLanes; ++j) {
          std::uint32_t expected = before[j];
          for (std::uint32_t h = 0; h < kSteps; ++h) {
            const RandomBlock block = streams.block(0xFFFFFFF0 + j, 0xFFFFFFFE + h);
            const std::uint32_t pair =
                expected * static_cast<std::uint32_t>(actions) + policy.draw(expected, block[0]);
            ASSERT_EQ(pairs[h * kPhiloxLanes + j], pair);
            expected = kernel.draw(pair, block[1]);
          }
        }
      }
    }
  }
}

// The estimates written out as in the definition, with the double sum, over the very same
// trajectories: action h from word 0 and state h+1 from word 1 of block h+1; the start from block
// 0.
struct Naive {
  Matrix occupancy;
  Matrix weights;
};

Naive naive_estimates(const FiniteMdp& mdp, const Matrix& pi, const Matrix& cost, BatchSize batch,
                      StreamFamily streams) {
  const AliasTable start(Matrix(mdp.start().transpose()));
  const AliasTable policy(pi);
  const AliasTable kernel =
      mdp.is_sparse() ? AliasTable(mdp.sparse_kernel()) : AliasTable(mdp.dense_kernel());
  const double g = mdp.discount();
  Naive sums{Matrix::Zero(pi.rows(), pi.cols()), Matrix::Zero(pi.rows(), pi.cols())};
  for (Index i = 0; i < batch.trajectories; ++i) {
    const auto trajectory = static_cast<std::uint32_t>(i);
    std::vector<std::pair<Index, Index>> path;
    Index s = start.draw(0, streams.block(trajectory, 0)[0]);
    for (Index h = 0; h < batch.horizon; ++h) {
      const RandomBlock block = streams.block(trajectory, static_cast<std::uint32_t>(h + 1));
      const Index a = policy.draw(s, block[0]);
      path.emplace_back(s, a);
      s = kernel.draw(s * mdp.actions() + a, block[1]);
    }
    for (Index t = 0; t < batch.horizon; ++t) {
      const auto [st, at] = path[t];
      sums.occupancy(st, at) += std::pow(g, t);
      for (Index h = 0; h <= t; ++h) {
        sums.weights(path[h].first, path[h].second) += std::pow(g, t) * cost(st, at);
      }
    }
  }
  const double factor = (1 - g) / static_cast<double>(batch.trajectories);
  return {factor * sums.occupancy, factor * sums.weights};
}

TEST(TrajectorySampler, EstimatesAreTheDefinitionOverTheSameTrajectories) {
  for (const FiniteMdp& mdp : {random_dense(6, 3, 0.9, 1), random_sparse(300, 2, 0.95, 2)}) {
    const Matrix pi = random_policy(mdp, 3);
    const Matrix cost = random_policy(mdp, 4);
    ThreadPool pool(2);
    const TrajectorySampler sampler(mdp, pool);
    for (const BatchSize batch : {BatchSize{1, 1}, BatchSize{31, 9}, BatchSize{100, 40}}) {
      const StreamFamily streams{5, 6};
      const Naive naive = naive_estimates(mdp, pi, cost, batch, streams);
      EXPECT_LE((sampler.occupancy(pi, batch, streams) - naive.occupancy).cwiseAbs().maxCoeff(),
                1e-14);
      EXPECT_LE(
          (sampler.score_weights(pi, cost, batch, streams) - naive.weights).cwiseAbs().maxCoeff(),
          1e-13);
    }
  }
}

TEST(TrajectorySampler, IsBitIdenticalForAnyNumberOfThreads) {
  // Few pairs with sums per part, many pairs with sums at the end, more groups than parts.
  const std::vector<std::pair<FiniteMdp, BatchSize>> cases = {
      {random_dense(10, 5, 0.95, 1), {256, 50}},
      {random_dense(10, 5, 0.95, 1), {5000, 20}},
      {random_sparse(5000, 4, 0.95, 2), {1000, 10}},
      {random_sparse(5000, 4, 0.95, 2), {3000, 3}}};
  for (const auto& [mdp, batch] : cases) {
    const Matrix pi = random_policy(mdp, 3);
    const Matrix cost = random_policy(mdp, 4);
    ThreadPool one(1);
    const TrajectorySampler reference(mdp, one);
    const Matrix occupancy = reference.occupancy(pi, batch, {7, 8});
    const Matrix weights = reference.score_weights(pi, cost, batch, {7, 9});
    EXPECT_NEAR(occupancy.sum(), 1 - std::pow(mdp.discount(), batch.horizon), 1e-12);
    for (const int threads : {2, 8}) {
      ThreadPool pool(threads);
      const TrajectorySampler sampler(mdp, pool);
      for (int round = 0; round < 5; ++round) {
        EXPECT_EQ(sampler.occupancy(pi, batch, {7, 8}), occupancy);
        EXPECT_EQ(sampler.score_weights(pi, cost, batch, {7, 9}), weights);
      }
    }
  }
}

TEST(TrajectorySampler, IsBitIdenticalForEveryInstructionSet) {
  // Dense and sparse; widths that are and are not multiples of a vector's; one action, one state;
  // tables within the cache (at most 2^15 cells) and beyond it.
  std::vector<FiniteMdp> models;
  std::uint64_t seed = 20;
  for (const auto& [states, actions] : {std::pair<Index, Index>{1, 1},
                                        {1, 4},
                                        {2, 1},
                                        {3, 3},
                                        {8, 4},
                                        {10, 5},
                                        {61, 1},
                                        {97, 3},
                                        {200, 2}}) {
    models.push_back(random_dense(states, actions, 0.95, seed++));
    if (states > 2) models.push_back(random_sparse(states, actions, 0.95, seed++));
  }
  models.push_back(random_sparse(9000, 2, 0.95, seed++));
  for (const FiniteMdp& mdp : models) {
    const Matrix pi = random_policy(mdp, seed++);
    const Matrix cost = random_policy(mdp, seed++);
    ThreadPool pool(2);
    const TrajectorySampler reference(mdp, pool, alone(), InstructionSet::kPortable);
    for (const BatchSize batch : {BatchSize{1, 1}, BatchSize{33, 7}, BatchSize{700, 20}}) {
      const Matrix occupancy = reference.occupancy(pi, batch, {seed, 8});
      const Matrix weights = reference.score_weights(pi, cost, batch, {seed, 9});
      for (const InstructionSet set : instruction_sets_of_cpu()) {
        const TrajectorySampler sampler(mdp, pool, alone(), set);
        EXPECT_EQ(sampler.occupancy(pi, batch, {seed, 8}), occupancy) << name_of(set);
        EXPECT_EQ(sampler.score_weights(pi, cost, batch, {seed, 9}), weights) << name_of(set);
      }
    }
  }
}

// Each entry's mean over many batches lies within 4 standard errors of the truth.
void expect_mean(const std::vector<Matrix>& samples, const Matrix& truth) {
  const auto count = static_cast<double>(samples.size());
  Matrix mean = Matrix::Zero(truth.rows(), truth.cols());
  Matrix square = mean;
  for (const Matrix& sample : samples) {
    mean += sample / count;
    square += sample.cwiseAbs2() / count;
  }
  const Matrix error = ((square - mean.cwiseAbs2()) / (count - 1)).cwiseMax(0.0).cwiseSqrt();
  for (Index i = 0; i < truth.size(); ++i) {
    EXPECT_NEAR(mean.data()[i], truth.data()[i], 4 * error.data()[i] + 1e-15) << "entry " << i;
    EXPECT_GT(error.data()[i], 0);
  }
}

TEST(TrajectorySampler, MeansAreTheTruncatedExactValues) {
  const FiniteMdp sparse = random_sparse(12, 2, 0.9, 21);
  for (const FiniteMdp& mdp : {random_dense(6, 3, 0.9, 20), as_dense(sparse), sparse}) {
    const BatchSize batch{40, 15};
    const TabularSoftmax policy({mdp.states(), mdp.actions()});
    Rng rng(22);
    const Vector theta = normal_vector(policy.dimension(), rng);
    const Matrix pi = policy.probabilities(theta);
    const Matrix cost = random_policy(mdp, 23);
    ThreadPool pool(2);
    const TrajectorySampler sampler(mdp, pool);
    std::vector<Matrix> occupancies, gradients;
    for (int k = 0; k < 1500; ++k) {
      occupancies.push_back(sampler.occupancy(pi, batch, rng.fork()));
      gradients.push_back(
          policy.score(theta, pi, sampler.score_weights(pi, cost, batch, rng.fork())));
    }
    const Matrix reachable = truncated_occupancy(mdp, pi, batch.horizon);
    ASSERT_GT(reachable.minCoeff(), 0);
    expect_mean(occupancies, reachable);
    // The truth: d/d theta of <cost, truncated occupancy>, by central differences.
    Matrix gradient(policy.dimension(), 1);
    const auto value = [&](const Vector& at) {
      return truncated_occupancy(mdp, policy.probabilities(at), batch.horizon)
          .cwiseProduct(cost)
          .sum();
    };
    for (Index i = 0; i < theta.size(); ++i) {
      const Vector step = 1e-5 * Vector::Unit(theta.size(), i);
      gradient(i, 0) = (value(theta + step) - value(theta - step)) / 2e-5;
    }
    expect_mean(gradients, gradient);
  }
}

TEST(TrajectorySampler, RefusesBadBatchesAndPolicies) {
  const FiniteMdp mdp = random_dense(3, 2, 0.9, 1);
  ThreadPool pool(1);
  const TrajectorySampler sampler(mdp, pool);
  const Matrix pi = Matrix::Constant(3, 2, 0.5);
  expect_invalid([&] { sampler.occupancy(pi, {0, 5}, {}); }, "number of trajectories is 0");
  expect_invalid([&] { sampler.occupancy(pi, {5, 0}, {}); }, "horizon is 0");
  expect_invalid(
      [&] {
        sampler.occupancy(Matrix::Constant(2, 2, 0.5), {1, 1}, {});
      },
      "policy is 2 x 2");
  expect_invalid(
      [&] {
        sampler.score_weights(pi, Matrix::Zero(2, 2), {1, 1}, {});
      },
      "cost is 2 x 2");
}

}  // namespace
}  // namespace rgu
