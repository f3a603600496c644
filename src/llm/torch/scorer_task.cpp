#include "rgu/llm/torch/scorer_task.hpp"

#include <ATen/ATen.h>

#include <algorithm>

#include "rgu/base/check.hpp"
#include "rgu/llm/torch/trained_model.hpp"

namespace rgu::llm {
namespace {

double share(const at::Tensor& correct) { return correct.to(at::kDouble).mean().item<double>(); }

}  // namespace

ScorerTask::ScorerTask(const Transformer& model, std::span<const TokenPair> pairs, Setup setup)
    : model_(model),
      pairs_(pairs),
      setup_(std::move(setup)),
      statistics_(at::zeros({3}, at::TensorOptions().dtype(at::kDouble))) {}

// The answers of all pairs side by side: the high ones, then the low ones.
ScorerTask::Scores ScorerTask::scores_of(std::span<const TokenPair* const> pairs,
                                         std::optional<std::uint64_t> dropout_seed) const {
  std::vector<std::span<const TokenId>> rows;
  std::vector<double> signs;
  for (const auto answer : {&TokenPair::high, &TokenPair::low}) {
    for (const TokenPair* pair : pairs) {
      rows.push_back((pair->*answer).tokens);
      signs.push_back((pair->*answer).sign);
    }
  }
  const ScoreBatch batch = score_batch(rows);
  const at::Tensor scores = scores_at_end(model_, batch, dropout_seed).select(1, 0);
  const at::Tensor sign = at::tensor(signs).to(scores.options().requires_grad(false));
  const auto count = static_cast<std::int64_t>(pairs.size());
  return {.high = scores.narrow(0, 0, count),
          .low = scores.narrow(0, count, count),
          .high_sign = sign.narrow(0, 0, count),
          .low_sign = sign.narrow(0, count, count),
          .tokens = batch.tokens};
}

at::Tensor ScorerTask::loss_of(const Scores& scores) const {
  const double regularization = setup_.options.regularization;
  if (setup_.options.type == ScoreType::kReward) {
    return reward_loss({.better = scores.high, .worse = scores.low}, regularization);
  }
  return cost_loss({.safer = scores.low,
                    .unsafer = scores.high,
                    .safer_sign = scores.low_sign,
                    .unsafer_sign = scores.high_sign},
                   regularization);
}

TrainingTask::Learned ScorerTask::learn(const TrainingUpdate& update) {
  Learned learned = {.loss = 0, .tokens = 0, .accuracy = 0};
  std::vector<at::Tensor> all;
  for (std::int64_t number = 0; number < update.parts; ++number) {
    std::vector<const TokenPair*> pairs;
    for (const std::int64_t example : update.part(number)) {
      pairs.push_back(&pairs_[static_cast<std::size_t>(example)]);
    }
    const Scores scores = scores_of(pairs, update.dropout_seed(number));
    const at::Tensor loss = loss_of(scores) / update.parts;  // parts are of equal size
    loss.backward();
    learned.loss += loss.item<double>();
    learned.tokens += scores.tokens;
    learned.accuracy += share(scores.high > scores.low) / static_cast<double>(update.parts);
    all.push_back(scores.high.detach());
    all.push_back(scores.low.detach());
  }
  count(at::cat(all).to(at::kCPU, at::kDouble));
  return learned;
}

void ScorerTask::count(const at::Tensor& scores) {
  constexpr double kMomentum = 0.9;
  const double keep = statistics_[2].item<double>() == 0 ? 0 : kMomentum;
  const at::Tensor batch = at::stack({scores.mean(), scores.var()});
  statistics_.narrow(0, 0, 2).mul_(keep).add_(batch, 1 - keep);
  statistics_[2].add_(1);
}

TrainingEvaluation ScorerTask::evaluate() {
  const std::span<const TokenPair> pairs = pairs_.last(static_cast<std::size_t>(setup_.held_out));
  const TrainingOptions& training = setup_.options.training;
  const auto pass = static_cast<std::size_t>(training.batch / training.accumulation);
  double loss = 0, correct = 0, signs = 0;
  for (std::size_t begin = 0; begin < pairs.size(); begin += pass) {
    std::vector<const TokenPair*> part;
    for (const TokenPair& pair : pairs.subspan(begin, std::min(pass, pairs.size() - begin))) {
      part.push_back(&pair);
    }
    const Scores scores = scores_of(part, {});
    const auto count = static_cast<double>(part.size());
    loss += count * loss_of(scores).item<double>();
    correct += count * share(scores.high > scores.low);
    signs += count *
             (share(scores.high * scores.high_sign < 0) + share(scores.low * scores.low_sign < 0)) /
             2;
  }
  const auto all = static_cast<double>(pairs.size());
  TrainingEvaluation evaluation = {.loss = loss / all, .accuracy = correct / all};
  if (setup_.options.type == ScoreType::kCost) evaluation.sign_accuracy = signs / all;
  return evaluation;
}

void ScorerTask::save(const std::filesystem::path& folder) {
  ModelConfig config = model_.config();
  config.score->normalize = false;
  config.score->mean = statistics_[0].item<double>();
  config.score->variance = statistics_[1].item<double>();
  save_trained(model_, config, setup_.base_model, folder);
}

}  // namespace rgu::llm
