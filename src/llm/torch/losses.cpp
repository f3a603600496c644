#include "rgu/llm/torch/losses.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

#include "rgu/base/check.hpp"
#include "rgu/llm/torch/token_log_probabilities.hpp"

namespace rgu::llm {
namespace {

at::Tensor integers(const std::vector<std::int64_t>& values) {
  return at::tensor(values, at::TensorOptions().dtype(at::kLong));
}

}  // namespace

LanguageBatch language_batch(std::span<const LanguageRow> rows) {
  std::int64_t length = 0, tokens = 0;
  for (const LanguageRow& row : rows) {
    const auto size = static_cast<std::int64_t>(row.tokens.size());
    check(row.first >= 1 && row.first < size,
          "a sequence of {} tokens to be predicted from token {} on: nothing is left", size,
          row.first);
    length = std::max(length, size - 1);
    tokens += size - 1;
  }
  const auto batch = static_cast<std::int64_t>(rows.size());
  at::Tensor inputs = at::zeros({batch, length}, at::TensorOptions().dtype(at::kLong));
  auto* input = inputs.data_ptr<std::int64_t>();
  std::vector<std::int64_t> positions, targets;
  for (std::int64_t b = 0; b < batch; ++b) {
    const LanguageRow& row = rows[static_cast<std::size_t>(b)];
    std::copy(row.tokens.begin(), row.tokens.end() - 1, input + b * length);
    for (auto t = row.first; t < static_cast<std::int64_t>(row.tokens.size()); ++t) {
      positions.push_back(b * length + t - 1);
      targets.push_back(row.tokens[static_cast<std::size_t>(t)]);
    }
  }
  return {.inputs = inputs,
          .positions = integers(positions),
          .targets = integers(targets),
          .tokens = tokens};
}

at::Tensor language_loss_sum(const Transformer& model, const LanguageBatch& batch,
                             std::optional<std::uint64_t> dropout_seed) {
  const auto vocabulary = model.config().vocabulary;
  const auto least = batch.targets.min().item<std::int64_t>();
  const auto greatest = batch.targets.max().item<std::int64_t>();
  check(least >= 0 && greatest < vocabulary, "token ids from {} to {}: must be 0 .. {}", least,
        greatest, vocabulary - 1);
  const at::Tensor states =
      model.forward(batch.inputs, {.mask = {}, .cache = nullptr, .dropout_seed = dropout_seed});
  at::Tensor hidden = states.view({-1, states.size(-1)});
  if (batch.predicted() < hidden.size(0)) {
    hidden = hidden.index_select(0, batch.positions.to(hidden.device()));
  }
  const at::Tensor targets = batch.targets.to(hidden.device());
  return token_log_probabilities(hidden, targets, model.output_weight()).values.sum().neg();
}

at::Tensor language_loss(const Transformer& model, const LanguageBatch& batch,
                         std::optional<std::uint64_t> dropout_seed) {
  return language_loss_sum(model, batch, dropout_seed) / batch.predicted();
}

ScoreBatch score_batch(std::span<const std::span<const TokenId>> rows) {
  std::size_t length = 0, tokens = 0;
  for (const auto& row : rows) {
    check(!row.empty(), "a sequence without a token has no score");
    length = std::max(length, row.size());
    tokens += row.size();
  }
  const auto shape = {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(length)};
  const auto options = at::TensorOptions().dtype(at::kLong);
  ScoreBatch batch = {.ids = at::zeros(shape, options),
                      .mask = at::zeros(shape, options),
                      .tokens = static_cast<std::int64_t>(tokens)};
  for (std::size_t b = 0; b < rows.size(); ++b) {
    std::copy(rows[b].begin(), rows[b].end(), batch.ids.data_ptr<std::int64_t>() + b * length);
    std::fill_n(batch.mask.data_ptr<std::int64_t>() + b * length, rows[b].size(), 1);
  }
  return batch;
}

// Scores are made at the last tokens only. Padding on the right needs no mask: see LanguageBatch.
at::Tensor scores_at_end(const Transformer& model, const ScoreBatch& batch,
                         std::optional<std::uint64_t> dropout_seed) {
  const at::Tensor states =
      model.forward(batch.ids, {.mask = {}, .cache = nullptr, .dropout_seed = dropout_seed});
  return model.score(end_scores(states, batch.mask));
}

at::Tensor reward_loss(const RewardScores& scores, double regularization) {
  const at::Tensor ranked = at::log_sigmoid(scores.better - scores.worse).neg().mean();
  return ranked + regularization * at::cat({scores.better, scores.worse}).square().mean();
}

at::Tensor cost_loss(const CostScores& scores, double regularization) {
  const at::Tensor ranked = at::log_sigmoid(scores.unsafer - scores.safer);
  const at::Tensor safer = at::log_sigmoid(-scores.safer_sign * scores.safer);
  const at::Tensor unsafer = at::log_sigmoid(-scores.unsafer_sign * scores.unsafer);
  return (ranked + safer + unsafer).neg().mean() +
         regularization * at::cat({scores.safer, scores.unsafer}).square().mean();
}

}  // namespace rgu::llm
