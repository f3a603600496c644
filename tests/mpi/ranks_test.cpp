#include <gtest/gtest.h>

#include <numeric>

#include "mpi/job.hpp"
#include "rgu/base/launch.hpp"
#include "rgu/mdp/generators.hpp"
#include "rgu/mdp/sampler.hpp"

namespace rgu {
namespace {

TEST(Ranks, AreThoseThatTheLauncherSays) {
  EXPECT_EQ(job().size(), launch().size);
  EXPECT_EQ(job().rank(), launch().rank);
  EXPECT_GE(job().neighbours(), 1);
  EXPECT_LE(job().neighbours(), job().size());
}

TEST(Ranks, SumEntryByEntry) {
  std::vector<double> values = {1, static_cast<double>(job().rank()), -0.5};
  job().sum(values);
  const double n = job().size();
  EXPECT_EQ(values, (std::vector<double>{n, n * (n - 1) / 2, -0.5 * n}));
  std::vector<float> floats(100000, 0.25F);
  job().sum(floats);
  EXPECT_EQ(floats.back(), 0.25F * static_cast<float>(job().size()));
}

TEST(Ranks, FindTheLargest) {
  EXPECT_EQ(largest(job(), -job().rank()), 0);
  EXPECT_EQ(largest(job(), job().rank()), job().size() - 1);
}

TEST(Ranks, GatherTextsInOrder) {
  const std::vector<std::string> all =
      job().gather(std::string(static_cast<std::size_t>(job().rank()), 'x'));
  ASSERT_EQ(std::ssize(all), job().size());
  for (std::size_t r = 0; r < all.size(); ++r) EXPECT_EQ(all[r], std::string(r, 'x'));
}

TEST(Ranks, BroadcastWhatRankZeroHas) {
  std::string text = job().leads() ? "what is to be done" : "something else, and longer than that";
  broadcast(job(), text);
  EXPECT_EQ(text, "what is to be done");
  std::string none = job().leads() ? "" : "something";
  broadcast(job(), none);
  EXPECT_EQ(none, "");
}

TEST(Ranks, DeliverLettersInOrder) {
  if (job().leads()) {
    std::vector<int> next(static_cast<std::size_t>(job().size()), 0);
    for (int i = 0; i < 3 * (job().size() - 1); ++i) {
      const Letter letter = job().next_letter();
      int& expected = next[static_cast<std::size_t>(letter.from)];
      EXPECT_EQ(letter.text, std::to_string(expected++));
    }
  } else {
    for (int i = 0; i < 3; ++i) job().post({.text = std::to_string(i)}, 0);
  }
  double all_here = 0;
  job().sum(std::span(&all_here, 1));
  EXPECT_FALSE(job().mail().has_value());
}

// The sampler of rank 0 with the help of the others, against one that is alone.
struct Batch {
  BatchSize size;
  Index states = 0;
};

class SharedSampling : public testing::TestWithParam<Batch> {};

TEST_P(SharedSampling, HasTheBitsOfOneProcess) {
  Rng rng(3);
  const World world = garnet({.states = GetParam().states, .actions = 3, .branching = 2}, rng);
  const Matrix& cost = world.signals.at("reward");
  Matrix pi = cost.cwiseAbs().array() + 0.1;
  for (Index s = 0; s < pi.rows(); ++s) pi.row(s) /= pi.row(s).sum();
  ThreadPool pool(2);
  const TrajectorySampler shared(world.mdp, pool, job());
  if (!job().leads()) return shared.serve();
  const TrajectorySampler single(world.mdp, pool);
  for (std::uint64_t stream = 0; stream < 3; ++stream) {
    const StreamFamily streams{.seed = 5, .stream = stream};
    EXPECT_EQ(shared.occupancy(pi, GetParam().size, streams),
              single.occupancy(pi, GetParam().size, streams));
    EXPECT_EQ(shared.score_weights(pi, cost, GetParam().size, streams),
              single.score_weights(pi, cost, GetParam().size, streams));
  }
  end_service(job());
}

// Few pairs: partial sums; one trajectory; fewer groups than ranks; many parts; and many pairs,
// where rank 0 takes the sums in the order of the trajectories.
INSTANTIATE_TEST_SUITE_P(Batches, SharedSampling,
                         testing::Values(Batch{{.trajectories = 256, .horizon = 20}, 10},
                                         Batch{{.trajectories = 1, .horizon = 7}, 10},
                                         Batch{{.trajectories = 33, .horizon = 5}, 10},
                                         Batch{{.trajectories = 5000, .horizon = 11}, 40},
                                         Batch{{.trajectories = 140001, .horizon = 3}, 5},
                                         Batch{{.trajectories = 3000, .horizon = 4}, 40000}));

}  // namespace
}  // namespace rgu
