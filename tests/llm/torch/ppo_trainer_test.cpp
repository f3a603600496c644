#include "rgu/llm/torch/ppo_trainer.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "ppo_case.hpp"
#include "rgu/base/check.hpp"

namespace rgu::llm {
namespace {

const PpoOptions kLively = {.epochs = 3, .minibatch = 5, .learning_rate = 3e-3};

TEST(PpoTrainer, TheRatioOfTheFirstMiniBatchIsExactlyOne) {
  for (const std::int64_t accumulation : {1, 2}) {
    Transformer model = adapted_model();
    PpoTrainer trainer(
        model, 1,
        {.epochs = 1, .minibatch = 12, .accumulation = accumulation, .learning_rate = 0.1}, 3);
    const PpoReport report = updated(trainer, Answers(12));
    EXPECT_EQ(report.minibatches, 1);
    EXPECT_EQ(report.policy_kl, 0);
    EXPECT_EQ(report.approximate_kl, 0);
    EXPECT_EQ(report.clip_fraction, 0);
    EXPECT_EQ(report.mean_ratio, 1);
    EXPECT_NE(report.kl, 0);
    // Whitened advantages have mean 0, and the ratio is 1.
    EXPECT_NEAR(report.policy_loss, 0, 1e-12);
    EXPECT_GT(report.gradient_norm, 0);
  }
}

TEST(PpoTrainer, AFreshAdapterIsTheReference) {
  for (const KlEstimator estimator : {KlEstimator::kK1, KlEstimator::kK3, KlEstimator::kFull}) {
    Transformer model = small_model(small_neox());
    Rng rng(1);
    add_adapter(model, {}, rng);
    PpoTrainer trainer(model, 1, {.kl_estimator = estimator}, 3);
    EXPECT_EQ(updated(trainer, Answers(7)).kl, 0);
  }
}

std::vector<std::int64_t> in_order(std::size_t count) {
  std::vector<std::int64_t> order;
  for (std::size_t i = 0; i < count; ++i) order.push_back(static_cast<std::int64_t>(i));
  return order;
}

OldPolicy measured_in(Transformer& model, const std::vector<Rollout>& rollouts,
                      KlEstimator estimator, std::int64_t minibatch) {
  const std::vector<MiniBatch> passes =
      minibatches(rollouts, in_order(rollouts.size()), {.minibatch = minibatch});
  return measured(model, {}, passes, {.kl_estimator = estimator, .temperature = 0.7});
}

// Logits of one answer at a time, without padding, over the whole vocabulary, in float64.
TEST(PpoMeasure, IsWhatWholeDistributionsSay) {
  Transformer model = adapted_model(DataType::kF64);
  const Answers data(9);
  const std::vector<Rollout> rollouts = data.rollouts();
  const OldPolicy full = measured_in(model, rollouts, KlEstimator::kFull, 4);
  const OldPolicy k1 = measured_in(model, rollouts, KlEstimator::kK1, 4);
  const OldPolicy k3 = measured_in(model, rollouts, KlEstimator::kK3, 4);
  EXPECT_GT(full.kl.minCoeff(), 0);
  EXPECT_GT(k3.kl.minCoeff(), 0);
  EXPECT_LT(k1.kl.minCoeff(), 0);
  const at::NoGradGuard no_gradients;
  Index entry = 0;
  for (std::size_t b = 0; b < rollouts.size(); ++b) {
    std::vector<std::int64_t> tokens(data.prompts[b].begin(), data.prompts[b].end());
    for (const TokenId token : data.answers[b]) {
      const at::Tensor ids = ids_of(tokens);
      const auto distribution = [&] {
        return at::log_softmax(model.logits(model.forward(ids))[0][ids.size(1) - 1] / 0.7, -1);
      };
      const at::Tensor p = distribution();
      const AdapterOff off(model);
      const at::Tensor difference = p - distribution();
      // The mean of k1 over the policy's tokens is the full KL; so is that of k3.
      EXPECT_NEAR(full.kl[entry], (p.exp() * difference).sum().item<double>(), 1e-12);
      EXPECT_NEAR(full.kl[entry],
                  (p.exp() * ((-difference).exp() - 1 + difference)).sum().item<double>(), 1e-12);
      EXPECT_NEAR(k1.kl[entry], difference[token].item<double>(), 1e-12);
      EXPECT_NEAR(k1.log_probabilities[entry], p[token].item<double>(), 1e-12);
      EXPECT_NEAR(k1.entropy[entry], -(p.exp() * p).sum().item<double>(), 1e-12);
      tokens.push_back(token);
      ++entry;
    }
  }
  EXPECT_EQ(entry, full.kl.size());
}

TEST(PpoMeasure, DoesNotDependOnHowAnswersShareAPass) {
  Transformer model = adapted_model();
  const Answers data(9);
  const std::vector<Rollout> rollouts = data.rollouts();
  const OldPolicy alone = measured_in(model, rollouts, KlEstimator::kFull, 1);
  const OldPolicy together = measured_in(model, rollouts, KlEstimator::kFull, 9);
  const auto apart = [](const Vector& a, const Vector& b) { return (a - b).cwiseAbs().maxCoeff(); };
  EXPECT_LT(apart(alone.kl, together.kl), 1e-5);
  EXPECT_LT(apart(alone.log_probabilities, together.log_probabilities), 1e-5);
  EXPECT_LT(apart(alone.entropy, together.entropy), 1e-5);
}

TEST(PpoTrainer, AccumulationAndTheOrderOfAnswersChangeOnlyRounding) {
  const auto trained = [](std::int64_t accumulation, bool reversed, Averaging averaging) {
    Transformer model = adapted_model(DataType::kF64);
    PpoTrainer trainer(model, 1,
                       {.epochs = 3,
                        .minibatch = 11,
                        .accumulation = accumulation,
                        .learning_rate = 1e-2,
                        .averaging = averaging},
                       3);
    Answers data(11);
    if (reversed) {
      std::ranges::reverse(data.prompts);
      std::ranges::reverse(data.answers);
      data.rewards = Vector(data.rewards.reverse());
    }
    PpoReport report = updated(trainer, data);
    return std::pair(report, trainer.state());
  };
  for (const Averaging averaging : {Averaging::kTokens, Averaging::kSequences}) {
    const auto [report, state] = trained(1, false, averaging);
    EXPECT_GT(report.clip_fraction, 0);
    for (const std::int64_t accumulation : {2, 3, 11}) {
      const auto [other, after] = trained(accumulation, false, averaging);
      expect_close(report, other, 1e-9);
      EXPECT_LT(largest_difference(state.parameters, after.parameters), 1e-9);
    }
    const auto [other, after] = trained(1, true, averaging);
    expect_close(report, other, 1e-9);
    EXPECT_LT(largest_difference(state.parameters, after.parameters), 1e-9);
  }
}

// With xi = 0 the mixed advantage is the reward's, so without value losses in the trunk the adapter
// learns the same as with one critic. In a warm-up the reward's head does too.
TEST(PpoTrainer, SeparateCriticsWithoutAPriceLearnFromTheRewardAlone) {
  const Answers data(11);
  const std::vector<Rollout> rollouts = data.rollouts();
  Matrix both(11, 2);
  both << data.rewards, data.costs;
  for (const std::int64_t warmup : {0, 1}) {
    PpoOptions options = kLively;
    options.gradient_clip = 0;
    options.value_weight = warmup == 1 ? 0.1 : 0;
    options.critic_warmup_steps = warmup;
    Transformer single_model = adapted_model(), pair_model = adapted_model();
    PpoTrainer single(single_model, 1, options, 3);
    options.critics = Critics::kSeparate;
    PpoTrainer pair(pair_model, 2, options, 3);
    const PpoReport one = single.update({.rollouts = rollouts, .scores = data.rewards});
    const PpoReport two =
        pair.update({.rollouts = rollouts, .scores = both, .mixing = Vector{{1, 0}}});
    EXPECT_EQ(one.policy_loss, two.policy_loss);
    EXPECT_EQ(one.return_mean, two.return_mean);
    EXPECT_NE(one.value_loss, two.value_loss);
    const Weights left = single.state().parameters, right = pair.state().parameters;
    for (const auto& [name, view] : left.tensors) {
      EXPECT_TRUE(std::ranges::equal(view.bytes, right.at(name).bytes)) << name;
    }
  }
}

// A column and its negative, mixed by (1, -xi) / (1 + xi), are that column, and so is their KL
// penalty: the advantages are those of one critic, for every xi.
TEST(PpoTrainer, TheMixtureHasTheKlPenaltyOfOneCritic) {
  const Answers data(11);
  const std::vector<Rollout> rollouts = data.rollouts();
  Matrix both(11, 2);
  both << data.rewards, -data.rewards;
  PpoOptions options = kLively;
  Transformer single_model = adapted_model();
  PpoTrainer single(single_model, 1, options, 3);
  const PpoReport one = single.update({.rollouts = rollouts, .scores = data.rewards});
  options.critics = Critics::kSeparate;
  for (const double xi : {0.0, 0.5, 3.0}) {
    Transformer model = adapted_model();
    PpoTrainer pair(model, 2, options, 3);
    const PpoReport two = pair.update(
        {.rollouts = rollouts, .scores = both, .mixing = Vector{{1 / (1 + xi), -xi / (1 + xi)}}});
    EXPECT_NEAR(one.advantage_mean, two.advantage_mean, 1e-12);
    EXPECT_NEAR(one.advantage_deviation, two.advantage_deviation, 1e-12);
    EXPECT_NEAR(one.return_mean, two.return_mean, 1e-12);
  }
}

// Every answer is punished, so all log-probabilities fall and the policy KL is positive once a step
// was made; in the first epoch, of one mini-batch, it is 0.
TEST(PpoTrainer, StopsEarlyAfterTheEpochThatMovedThePolicyTooFar) {
  const auto report_with = [](double early_stop_kl) {
    Transformer model = adapted_model();
    PpoTrainer trainer(model, 1,
                       {.epochs = 5,
                        .minibatch = 10,
                        .learning_rate = 3e-3,
                        .whiten = false,
                        .early_stop_kl = early_stop_kl},
                       3);
    Answers data(10);
    data.rewards.setConstant(-1);
    const PpoReport report = updated(trainer, data);
    EXPECT_EQ(report.minibatches, report.epochs);
    return report;
  };
  const PpoReport whole = report_with(0), second = report_with(1e-6);
  EXPECT_EQ(whole.epochs, 5);
  EXPECT_EQ(second.epochs, 2);
  EXPECT_LT(second.policy_kl, whole.policy_kl);
  // The rule is policy_kl > 1.5 early_stop_kl.
  EXPECT_GT(report_with(second.policy_kl / 1.49).epochs, 2);
  EXPECT_EQ(report_with(second.policy_kl / 1.51).epochs, 2);
}

// Every answer is praised, so ratios rise above 1 with the first step: no other is made.
TEST(PpoTrainer, SkipsMiniBatchesBeyondTheRatioLimit) {
  const auto trained = [](std::int64_t epochs) {
    Transformer model = adapted_model();
    PpoTrainer trainer(model, 1,
                       {.epochs = epochs,
                        .minibatch = 10,
                        .learning_rate = 3e-3,
                        .whiten = false,
                        .early_stop_kl = 0,
                        .ratio_limit = 1},
                       3);
    Answers data(10);
    data.rewards.setConstant(1);
    const PpoReport report = updated(trainer, data);
    return std::pair(report, trainer.state());
  };
  const auto [once, after_one] = trained(1);
  const auto [report, after_four] = trained(4);
  EXPECT_EQ(once.skipped, 0);
  EXPECT_EQ(report.skipped, 3);
  EXPECT_EQ(report.minibatches, 1);
  EXPECT_EQ(report.mean_ratio, 1);
  EXPECT_LT(report.policy_kl, 0);  // of the last, though it was skipped
  EXPECT_TRUE(report.finite);
  EXPECT_TRUE(same_bits(after_one, after_four));
}

TEST(PpoTrainer, AnUpdateThatIsNotFiniteChangesNothing) {
  Transformer model = adapted_model();
  PpoTrainer trainer(model, 1, kLively, 3);
  Answers data(11);
  ASSERT_TRUE(updated(trainer, data).finite);
  const PpoTrainer::State before = trainer.state();
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(), 1e200}) {
    Answers broken = data;
    broken.rewards[4] = bad;  // 1e200 is finite, its square in the value loss is not
    EXPECT_FALSE(updated(trainer, broken).finite);
    EXPECT_TRUE(same_bits(trainer.state(), before));
  }
  // And it goes on as if nothing had been.
  const PpoReport report = updated(trainer, data);
  const PpoTrainer::State after = trainer.state();
  trainer.restore(before);
  const PpoReport again = updated(trainer, data);
  EXPECT_TRUE(report.finite);
  EXPECT_EQ(numbers_of(report), numbers_of(again));
  EXPECT_TRUE(same_bits(trainer.state(), after));
}

// A learning rate so large that a later mini-batch is not finite: the first steps are undone too.
TEST(PpoTrainer, StepsBeforeTheOneThatIsNotFiniteAreUndone) {
  Transformer model = adapted_model();
  PpoOptions options = kLively;
  options.learning_rate = 1e30;
  options.early_stop_kl = 0;
  PpoTrainer trainer(model, 1, options, 3);
  const PpoTrainer::State before = trainer.state();
  const PpoReport report = updated(trainer, Answers(11));
  EXPECT_FALSE(report.finite);
  EXPECT_GE(report.minibatches, 2);
  EXPECT_TRUE(same_bits(trainer.state(), before));
}

TEST(PpoTrainer, ACriticWarmUpTrainsTheValueHeadsOnly) {
  Transformer model = adapted_model();
  PpoOptions options = kLively;
  options.critic_warmup_steps = 2;
  options.value_clip = 100;
  options.value_weight = 1;
  PpoTrainer trainer(model, 1, options, 3);
  const std::vector<at::Tensor> adapter = copies(adapter_parameters(model));
  const std::vector<at::Tensor> head = copies(trainer.value_heads().front().parameters());
  const Answers data(11);
  const PpoReport first = updated(trainer, data);
  const PpoReport second = updated(trainer, data);
  EXPECT_EQ(moved(adapter_parameters(model), adapter), 0);
  EXPECT_GT(moved(trainer.value_heads().front().parameters(), head), 1e-3);
  EXPECT_EQ(first.value_mean, 0);
  EXPECT_LT(second.value_loss, first.value_loss);
  EXPECT_DOUBLE_EQ(first.total_loss, first.value_loss);
  updated(trainer, data);
  EXPECT_GT(moved(adapter_parameters(model), adapter), 1e-4);
}

TEST(PpoTrainer, ARestoredStateGoesOnToTheLastBit) {
  PpoOptions options = kLively;
  options.critics = Critics::kSeparate;
  options.value_dropout = 0.2;
  options.adapter_dropout = true;
  options.warmup_steps = 2;
  options.critic_warmup_steps = 1;
  options.kl_horizon = 100;
  const auto model_of = [] {
    Transformer model = small_model(small_neox());
    add_lively_adapter(model, {.rank = 2, .dropout = 0.1});
    return model;
  };
  const auto update = [](PpoTrainer& trainer, std::uint64_t seed) {
    const Answers data(11, seed);
    const std::vector<Rollout> rollouts = data.rollouts();
    Matrix both(11, 2);
    both << data.rewards, data.costs;
    return trainer.update({.rollouts = rollouts, .scores = both, .mixing = Vector{{0.6, -0.4}}});
  };
  Transformer model = model_of();
  PpoTrainer trainer(model, 2, options, 3);
  update(trainer, 1);
  update(trainer, 2);
  const PpoTrainer::State middle = trainer.state();
  EXPECT_EQ(middle.updates, 2);
  EXPECT_NE(middle.kl_coefficient, options.kl_coefficient);
  const PpoReport third = update(trainer, 3), fourth = update(trainer, 4);
  EXPECT_FALSE(same_bits(middle, trainer.state()));

  Transformer other_model = model_of();
  PpoTrainer other(other_model, 2, options, 3);
  other.restore(middle);
  EXPECT_EQ(numbers_of(update(other, 3)), numbers_of(third));
  EXPECT_EQ(numbers_of(update(other, 4)), numbers_of(fourth));
  EXPECT_TRUE(same_bits(other.state(), trainer.state()));
}

TEST(PpoTrainer, LearningRatesWarmUpAndTheControllerFollowsTheKl) {
  Transformer model = adapted_model();
  PpoOptions options = kLively;
  options.warmup_steps = 2;
  options.kl_horizon = 100;
  options.kl_target = 1e-3;
  PpoTrainer trainer(model, 1, options, 3);
  double coefficient = options.kl_coefficient;
  for (const double share : {1.0 / 3, 2.0 / 3, 1.0}) {
    const PpoReport report = updated(trainer, Answers(11));
    EXPECT_DOUBLE_EQ(report.learning_rate, share * options.learning_rate);
    EXPECT_EQ(report.kl_coefficient, coefficient);
    coefficient = controlled(coefficient, {.kl = report.kl, .sequences = 11}, options);
    EXPECT_EQ(trainer.kl_coefficient(), coefficient);
  }
}

// Answers whose first token is even are rewarded.
TEST(PpoTrainer, RewardedTokensBecomeMoreProbable) {
  Transformer model = adapted_model();
  PpoTrainer trainer(model, 1, {.epochs = 4, .minibatch = 20, .learning_rate = 1e-2}, 3);
  Answers data(40);
  for (std::size_t i = 0; i < 40; ++i) {
    data.answers[i].resize(1);
    data.rewards[static_cast<Index>(i)] = data.answers[i][0] % 2 == 0 ? 1 : 0;
  }
  const std::vector<Rollout> rollouts = data.rollouts();
  const auto favoured = [&] {
    const Vector p = measured_in(model, rollouts, KlEstimator::kK1, 40).log_probabilities;
    return data.rewards.dot(p) / data.rewards.sum();
  };
  const double before = favoured();
  for (int i = 0; i < 5; ++i) updated(trainer, data);
  EXPECT_GT(favoured(), before + 0.5);
}

TEST(PpoTrainer, RefusesModelsAndBatchesThatDoNotFit) {
  Transformer bare = small_model(small_neox());
  EXPECT_THROW(PpoTrainer(bare, 1, {}, 1), InvalidInput);
  Transformer model = adapted_model();
  EXPECT_THROW(PpoTrainer(model, 2, {}, 1), InvalidInput);
  EXPECT_THROW(PpoTrainer(model, 0, {.critics = Critics::kSeparate}, 1), InvalidInput);
  EXPECT_THROW(PpoTrainer(model, 1, {.epochs = 0}, 1), InvalidInput);
  merge_adapter(model);
  EXPECT_THROW(PpoTrainer(model, 1, {}, 1), InvalidInput);
  unmerge_adapter(model);
  {
    const AdapterOff off(model);
    EXPECT_THROW(PpoTrainer(model, 1, {}, 1), InvalidInput);
  }
  Transformer trained = small_model(small_neox(), {.base = BaseWeights::kTrained});
  add_lively_adapter(trained);
  EXPECT_THROW(PpoTrainer(trained, 1, {}, 1), InvalidInput);

  PpoTrainer trainer(model, 1, {}, 1);
  const Answers data(3);
  const std::vector<Rollout> rollouts = data.rollouts();
  EXPECT_THROW(trainer.update({.rollouts = {}, .scores = Matrix(0, 1)}), InvalidInput);
  EXPECT_THROW(trainer.update({.rollouts = rollouts, .scores = Matrix::Zero(2, 1)}), InvalidInput);
  EXPECT_THROW(trainer.update({.rollouts = rollouts, .scores = Matrix::Zero(3, 2)}), InvalidInput);
  EXPECT_THROW(
      trainer.update({.rollouts = rollouts, .scores = data.rewards, .mixing = Vector::Ones(2)}),
      InvalidInput);
  EXPECT_THROW(trainer.update({.rollouts = rollouts, .scores = data.rewards, .temperature = 0}),
               InvalidInput);
  std::vector<Rollout> empty = rollouts;
  empty[1].answer = {};
  EXPECT_THROW(trainer.update({.rollouts = empty, .scores = data.rewards}), InvalidInput);
  const std::vector<TokenId> foreign = {29};
  std::vector<Rollout> outside = rollouts;
  outside[1].answer = foreign;
  EXPECT_THROW(trainer.update({.rollouts = outside, .scores = data.rewards}), InvalidInput);
  merge_adapter(model);
  EXPECT_THROW(updated(trainer, data), InvalidInput);
  unmerge_adapter(model);
  PpoTrainer hasty(model, 1, {.kl_horizon = 0.5}, 1);
  EXPECT_THROW(updated(hasty, data), InvalidInput);

  PpoTrainer::State state = trainer.state();
  state.parameters.tensors.erase(state.parameters.tensors.begin());
  EXPECT_THROW(trainer.restore(state), InvalidInput);
}

}  // namespace
}  // namespace rgu::llm
