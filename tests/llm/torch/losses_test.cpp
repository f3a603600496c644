#include "rgu/llm/torch/losses.hpp"

#include <cmath>

#include "llm/torch/models.hpp"
#include "rgu/base/check.hpp"
#include "rgu/llm/torch/evaluation.hpp"
#include "rgu/llm/torch/score_head.hpp"
#include "rgu/llm/torch/token_log_probabilities.hpp"

namespace rgu::llm {
namespace {

at::Tensor normal_tensor(std::vector<std::int64_t> shape, std::uint64_t seed, double sd = 1) {
  Rng rng(seed);
  at::Tensor x = at::empty(shape, at::TensorOptions().dtype(at::kDouble));
  for (std::int64_t i = 0; i < x.numel(); ++i) x.data_ptr<double>()[i] = sd * rng.normal();
  return x;
}

struct Example {
  at::Tensor hidden = normal_tensor({23, 16}, 1);
  at::Tensor weight = normal_tensor({41, 16}, 2);
  at::Tensor targets = (at::arange(23, at::TensorOptions().dtype(at::kLong)) * 7).remainder(41);

  at::Tensor plain(double temperature) const {
    return at::log_softmax(at::mm(hidden, weight.t()) / temperature, 1)
        .gather(1, targets.unsqueeze(1))
        .squeeze(1);
  }
};

LogProbabilityOptions in_parts(double temperature = 1) {
  return {.temperature = temperature, .entropy = true, .rows = 5, .tokens = 7};
}

TEST(TokenLogProbabilities, AreThoseOfThePlainLogSoftmax) {
  for (const double temperature : {1.0, 0.6}) {
    Example example;
    const at::Tensor plain = example.plain(temperature);
    const at::Tensor all =
        at::log_softmax(at::mm(example.hidden, example.weight.t()) / temperature, 1);
    const at::Tensor entropy = (all.exp() * all).sum(1).neg();
    for (const auto& options :
         {in_parts(temperature),
          LogProbabilityOptions{.temperature = temperature, .entropy = true}}) {
      const auto wide =
          token_log_probabilities(example.hidden, example.targets, example.weight, options);
      EXPECT_LT(distance(wide.values, plain), 1e-12);
      EXPECT_LT(distance(wide.entropy, entropy), 1e-12);
      const auto narrow = token_log_probabilities(example.hidden.to(at::kFloat), example.targets,
                                                  example.weight.to(at::kFloat), options);
      EXPECT_LT(distance(narrow.values, plain), 1e-5);
      EXPECT_LT(distance(narrow.entropy, entropy), 1e-5);
    }
  }
}

TEST(TokenLogProbabilities, StayFiniteForLargeLogits) {
  const Example example;
  const auto far =
      token_log_probabilities(example.hidden * 1e4, example.targets, example.weight, in_parts());
  EXPECT_TRUE(far.values.isfinite().all().item<bool>());
  EXPECT_TRUE(far.entropy.isfinite().all().item<bool>());
  EXPECT_LE(far.values.max().item<double>(), 0);
}

TEST(TokenLogProbabilities, HaveTheGradientsOfFiniteDifferences) {
  Example example;
  const at::Tensor g = normal_tensor({23}, 3);
  const auto value = [&] {
    return token_log_probabilities(example.hidden, example.targets, example.weight, in_parts(0.7))
        .values.dot(g);
  };
  example.hidden.requires_grad_();
  example.weight.requires_grad_();
  value().backward();
  const at::NoGradGuard no_gradients;
  for (at::Tensor* x : {&example.hidden, &example.weight}) {
    const at::Tensor gradient = x->grad();
    double* entries = x->data_ptr<double>();
    for (std::int64_t i = 0; i < x->numel(); i += 3) {
      const double at_rest = entries[i], step = 1e-5;
      entries[i] = at_rest + step;
      const double up = value().item<double>();
      entries[i] = at_rest - step;
      const double down = value().item<double>();
      entries[i] = at_rest;
      EXPECT_NEAR(gradient.view(-1)[i].item<double>(), (up - down) / (2 * step), 1e-8);
    }
  }
}

TEST(TokenLogProbabilities, GiveTheSameGradientWhetherTheWeightIsTrainedOrNot) {
  Example frozen, trained, plain;
  const at::Tensor g = normal_tensor({23}, 3);
  frozen.hidden.requires_grad_();
  trained.hidden.requires_grad_();
  trained.weight.requires_grad_();
  plain.hidden.requires_grad_();
  plain.weight.requires_grad_();
  token_log_probabilities(frozen.hidden, frozen.targets, frozen.weight, in_parts())
      .values.dot(g)
      .backward();
  token_log_probabilities(trained.hidden, trained.targets, trained.weight, in_parts())
      .values.dot(g)
      .backward();
  plain.plain(1).dot(g).backward();
  EXPECT_LT(distance(frozen.hidden.grad(), plain.hidden.grad()), 1e-12);
  EXPECT_LT(distance(trained.hidden.grad(), plain.hidden.grad()), 1e-12);
  EXPECT_LT(distance(trained.weight.grad(), plain.weight.grad()), 1e-12);
}

TEST(TokenLogProbabilities, RefuseShapesThatDoNotFit) {
  const Example example;
  EXPECT_THROW(token_log_probabilities(example.hidden, example.targets, example.weight.t()),
               InvalidInput);
  EXPECT_THROW(
      token_log_probabilities(example.hidden, example.targets, example.weight, {.temperature = 0}),
      InvalidInput);
}

const std::vector<TokenId> kLong = {3, 1, 4, 1, 5, 9, 2, 6};
const std::vector<TokenId> kShort = {2, 7, 18, 2};

// -log p of the tokens from `first` on, by the logits of the one sequence.
double direct_sum(const Transformer& model, const std::vector<TokenId>& tokens,
                  std::int64_t first) {
  const at::Tensor ids = ids_of({tokens.begin(), tokens.end()});
  const at::Tensor each = token_log_probabilities(model.logits(model.forward(ids))[0], ids);
  return -each.narrow(0, first - 1, each.size(0) - first + 1).sum().item<double>();
}

TEST(LanguageLoss, CountsThePredictedTokensOnlyWhateverThePadding) {
  const at::NoGradGuard no_gradients;
  for (const ModelConfig& config : small_models()) {
    const Transformer model = small_model(config, {.compute = DataType::kF64});
    const LanguageBatch batch = language_batch(
        std::vector<LanguageRow>{{.tokens = kLong, .first = 3}, {.tokens = kShort, .first = 1}});
    EXPECT_EQ(batch.predicted(), 8);
    EXPECT_EQ(batch.tokens, 10);
    const double expected = direct_sum(model, kLong, 3) + direct_sum(model, kShort, 1);
    EXPECT_NEAR(language_loss_sum(model, batch).item<double>(), expected, 1e-9);
    EXPECT_NEAR(language_loss(model, batch).item<double>(), expected / 8, 1e-9);
  }
}

TEST(LanguageLoss, RefusesRowsThatLeaveNothingToPredict) {
  EXPECT_THROW(language_batch(std::vector<LanguageRow>{{.tokens = kShort, .first = 4}}),
               InvalidInput);
  EXPECT_THROW(language_batch(std::vector<LanguageRow>{{.tokens = kShort, .first = 0}}),
               InvalidInput);
  const Transformer model = small_model(small_neox());
  const std::vector<TokenId> outside = {1, 2, 29};  // the vocabulary has 29
  EXPECT_THROW(language_loss(model, language_batch(std::vector<LanguageRow>{{.tokens = outside}})),
               InvalidInput);
}

at::Tensor numbers(std::vector<double> values) {
  return at::tensor(values, at::TensorOptions().dtype(at::kDouble));
}

// log(1 + e^-1) = 0.3132616875, log(1 + e^2) = 2.1269280110; mean of squares (1 + 9 + 0 + 25) / 4
// = 8.75.
TEST(RewardLoss, IsWhatTheFormulaGivesByHand) {
  const at::Tensor loss = reward_loss({.better = numbers({1, 3}), .worse = numbers({0, 5})}, 0.001);
  EXPECT_NEAR(loss.item<double>(), (0.3132616875 + 2.1269280110) / 2 + 0.00875, 1e-9);
}

// One pair: c_safer = -1 (safe), c_unsafer = 2 (unsafe): log(1 + e^-3) + log(1 + e^-1) + log(1 +
// e^-2) = 0.0485873516 + 0.3132616875 + 0.1269280110. Another: c_safer = 0.5, c_unsafer = -1, both
// unsafe: log(1 + e^1.5) + log(1 + e^-0.5) + log(1 + e^1) = 1.7014132779 + 0.4740769842
// + 1.3132616875.
TEST(CostLoss, IsWhatTheFormulaGivesByHand) {
  const at::Tensor loss = cost_loss({.safer = numbers({-1, 0.5}),
                                     .unsafer = numbers({2, -1}),
                                     .safer_sign = numbers({1, -1}),
                                     .unsafer_sign = numbers({-1, -1})},
                                    0.001);
  const double first = 0.0485873516 + 0.3132616875 + 0.1269280110;
  const double second = 1.7014132779 + 0.4740769842 + 1.3132616875;
  EXPECT_NEAR(loss.item<double>(), (first + second) / 2 + 0.001 * (1 + 0.25 + 4 + 1) / 4, 1e-9);
}

ModelFiles files_of(const ModelConfig& config, Head head) {
  return {.config = config, .weights = lively_weights(config, head), .folder = {}};
}

std::vector<TokenId> random_tokens(std::size_t count, const ModelConfig& config) {
  Rng rng(11);
  std::vector<TokenId> tokens(count);
  for (TokenId& token : tokens)
    token = static_cast<TokenId>(rng.below(static_cast<std::uint64_t>(config.vocabulary)));
  return tokens;
}

TEST(Perplexity, IsTheDirectSumOverWindows) {
  const at::NoGradGuard no_gradients;
  const ModelConfig config = small_neox();
  const ModelFiles files = files_of(config, Head::kLanguage);
  const Transformer model = small_model(config);
  const std::vector<TokenId> tokens = random_tokens(31, config);
  // Token t is predicted in the first window [begin, begin + 8] that holds it, begin = 0, 3, 6, ...
  double expected = 0;
  for (std::int64_t t = 1; t < 31; ++t) {
    const std::int64_t begin = t <= 8 ? 0 : (t - 8 + 2) / 3 * 3;
    const std::vector<TokenId> seen(tokens.begin() + begin, tokens.begin() + t + 1);
    expected += direct_sum(model, seen, t - begin);
  }
  std::int64_t told = 0;
  PerplexityOptions options = {.window = 8, .stride = 3};
  options.run.batch = 3;
  options.run.observe = [&](const auto& progress) { return told = progress.done, true; };
  const Perplexity answer = perplexity(files, {}, tokens, options);
  EXPECT_EQ(answer.tokens, 30);
  EXPECT_EQ(told, 9);  // windows: 0, 3, ..., 24, whose last token is 32 > 30
  EXPECT_NEAR(answer.negative_log_likelihood, expected, 1e-3);
  EXPECT_NEAR(answer.perplexity(), std::exp(expected / 30), 1e-3 * std::exp(expected / 30));
  EXPECT_NEAR(answer.bits_per_byte(60), expected / 60 / std::log(2.0), 1e-4);
}

TEST(Perplexity, StopsWhenTheObserverSaysSo) {
  const ModelConfig config = small_neox();
  PerplexityOptions options = {.window = 4, .stride = 4};
  options.run.batch = 1;
  options.run.observe = [](const auto&) { return false; };
  const Perplexity answer =
      perplexity(files_of(config, Head::kLanguage), {}, random_tokens(20, config), options);
  EXPECT_FALSE(answer.complete);
  EXPECT_EQ(answer.tokens, 4);
}

TEST(Perplexity, RefusesWhatDoesNotFit) {
  const ModelFiles files = files_of(small_neox(), Head::kLanguage);
  const std::vector<TokenId> tokens = random_tokens(20, files.config);
  EXPECT_THROW(perplexity(files, {}, std::span(tokens).first(1), {.window = 8, .stride = 8}),
               InvalidInput);
  EXPECT_THROW(perplexity(files, {}, tokens, {.window = 65, .stride = 65}), InvalidInput);
  EXPECT_THROW(perplexity(files, {}, tokens, {.window = 8, .stride = 9}), InvalidInput);
}

TEST(Scores, AreThoseOfEachSequenceAloneInTheGivenOrder) {
  const at::NoGradGuard no_gradients;
  ModelConfig config = small_llama();
  config.score = ScoreConfig{.dimension = 2};
  const ModelFiles files = files_of(config, Head::kScore);
  const Transformer model = small_model(config, {.head = Head::kScore});
  const std::vector<std::vector<TokenId>> sequences = {
      {5, 6}, {1, 2, 3, 4, 5, 6, 7}, {9}, {4, 4, 4, 8}};
  EvaluationOptions options;
  options.batch = 3;
  const auto answer = scores(files, {}, sequences, options);
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const at::Tensor states = model.forward(ids_of({sequences[i].begin(), sequences[i].end()}));
    const at::Tensor alone = model.score(states)[0][-1];
    for (std::size_t d = 0; d < 2; ++d) {
      EXPECT_NEAR(answer[i][d], alone[static_cast<std::int64_t>(d)].item<double>(), 1e-4);
    }
  }
  EXPECT_THROW(scores(files, {}, std::vector<std::vector<TokenId>>{{}}), InvalidInput);
  EXPECT_THROW(scores(files_of(small_neox(), Head::kLanguage), {}, sequences), InvalidInput);
}

}  // namespace
}  // namespace rgu::llm
