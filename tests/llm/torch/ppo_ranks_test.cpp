// Updates that several ranks share; mpirun starts this program once for each.
#include "rgu/llm/torch/ppo_ranks.hpp"

#include <string>

#include "ppo_case.hpp"
#include "rgu/mpi/mpi_ranks.hpp"

namespace rgu::llm {
namespace {

Ranks* job = nullptr;

std::string bytes_of(const PpoTrainer::State& state) {
  std::string bytes;
  for (const Weights* weights : {&state.parameters, &state.optimizer}) {
    for (const auto& [name, tensor] : weights->tensors) {
      bytes.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
    }
  }
  return bytes;
}

double largest(const Weights& weights) {
  double most = 0;
  for (const auto& [name, tensor] : weights.tensors) {
    for (const float value : floats_of(tensor)) most = std::max(most, std::abs(double{value}));
  }
  return most;
}

struct Case {
  PpoOptions options = {};
  std::size_t answers = 14;
  Vector mixing = Vector::Ones(1);
};

PpoReport updated(PpoTrainer& trainer, const Case& chosen, std::uint64_t seed) {
  const Answers answers(chosen.answers, seed);
  Matrix scores(answers.rewards.size(), chosen.mixing.size());
  scores.col(0) = answers.rewards;
  if (scores.cols() > 1) scores.col(1) = answers.costs;
  const std::vector<Rollout> rollouts = answers.rollouts();
  return trainer.update({.rollouts = rollouts, .scores = scores, .mixing = chosen.mixing});
}

// Three updates by all ranks and by each alone.
void expect_equal_updates(const Case& chosen) {
  Transformer shared = adapted_model(), single = adapted_model();
  PpoTrainer together(shared, chosen.mixing.size(), chosen.options, 3, *job);
  PpoTrainer by_itself(single, chosen.mixing.size(), chosen.options, 3);
  for (std::uint64_t update = 0; update < 3; ++update) {
    const PpoReport report = updated(together, chosen, update);
    const PpoReport expected = updated(by_itself, chosen, update);
    expect_close(report, expected, 1e-5);
    EXPECT_EQ(report.epochs, expected.epochs);
    EXPECT_EQ(report.minibatches, expected.minibatches);
    EXPECT_EQ(report.skipped, expected.skipped);
    const PpoTrainer::State state = together.state(), alone = by_itself.state();
    EXPECT_LE(largest_difference(state.parameters, alone.parameters),
              1e-5 * largest(alone.parameters));
    // The moments are means of gradients, which are clipped at 1.
    EXPECT_LE(largest_difference(state.optimizer, alone.optimizer),
              1e-5 * std::min(1.0, expected.gradient_norm));
    if (job->size() == 1) {
      EXPECT_TRUE(same_bits(state, alone));
    }
    for (const std::string& other : job->gather(bytes_of(state))) {
      EXPECT_EQ(other, bytes_of(state));
    }
  }
}

const PpoOptions kLively = {.epochs = 3, .minibatch = 5, .learning_rate = 3e-4};

TEST(PpoRanks, MakeTheUpdatesOfOneRank) { expect_equal_updates({.options = kLively}); }

TEST(PpoRanks, MakeTheUpdatesOfOneRankWithEveryOption) {
  Case chosen{.options = kLively};
  chosen.options.critics = Critics::kSeparate;
  chosen.options.accumulation = 2;
  chosen.options.averaging = Averaging::kSequences;
  chosen.options.kl_estimator = KlEstimator::kFull;
  chosen.options.critic_warmup_steps = 1;
  chosen.mixing.resize(2);
  chosen.mixing << 0.6, -0.4;
  expect_equal_updates(chosen);
}

TEST(PpoRanks, MayBeMoreThanTheAnswersOfAMiniBatch) {
  PpoOptions options = kLively;
  options.minibatch = 2;
  expect_equal_updates({.options = options, .answers = 3});
}

TEST(PpoRanks, FindTheRatioOfTheFirstMiniBatchToBeExactlyOne) {
  Transformer model = adapted_model();
  PpoTrainer trainer(model, 1, {.epochs = 1, .minibatch = 12, .learning_rate = 0.1}, 3, *job);
  const PpoReport report = updated(trainer, {.answers = 12}, 5);
  EXPECT_EQ(report.policy_kl, 0);
  EXPECT_EQ(report.approximate_kl, 0);
  EXPECT_NEAR(report.mean_ratio, 1, 1e-15);
}

TEST(PpoRanks, GoOnFromTheStateOfOneRank) {
  Transformer shared = adapted_model(), single = adapted_model();
  PpoTrainer together(shared, 1, kLively, 3, *job), by_itself(single, 1, kLively, 3);
  updated(by_itself, {}, 0);
  together.restore(by_itself.state());
  expect_close(updated(together, {}, 1), updated(by_itself, {}, 1), 1e-5);
}

}  // namespace
}  // namespace rgu::llm

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  rgu::MpiRanks ranks;
  rgu::llm::job = &ranks;
  return RUN_ALL_TESTS();
}
