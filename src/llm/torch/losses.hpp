// What training makes small.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <span>

#include "rgu/llm/files/token_id.hpp"
#include "rgu/llm/torch/transformer.hpp"

namespace rgu::llm {

// A sequence of which the tokens from `first` on, at least 1, are to be predicted, each from those
// before it.
struct LanguageRow {
  std::span<const TokenId> tokens = {};
  std::int64_t first = 1;
};

// Rows side by side, padded on the right with token 0. Padding needs no mask: attention is causal,
// so no token sees it, and it carries no loss.
struct LanguageBatch {
  at::Tensor inputs;        // (B, T): all tokens of each row but the last
  at::Tensor positions;     // (N): where in the B x T inputs a loss is carried
  at::Tensor targets;       // (N): the token that comes next there
  std::int64_t tokens = 0;  // inputs that are no padding

  std::int64_t predicted() const { return targets.size(0); }  // N
};
// Throws InvalidInput for a row of fewer than two tokens, or that has nothing to be predicted.
LanguageBatch language_batch(std::span<const LanguageRow> rows);

// sum over the N positions of -log p(target); logits are made at these positions only.
at::Tensor language_loss_sum(const Transformer& model, const LanguageBatch& batch,
                             std::optional<std::uint64_t> dropout_seed = {});
// The mean over N.
at::Tensor language_loss(const Transformer& model, const LanguageBatch& batch,
                         std::optional<std::uint64_t> dropout_seed = {});

// Sequences of token ids side by side, padded on the right.
struct ScoreBatch {
  at::Tensor ids;           // (B, T)
  at::Tensor mask;          // (B, T): 1 for a token
  std::int64_t tokens = 0;  // that are no padding
};
ScoreBatch score_batch(std::span<const std::span<const TokenId>> rows);
// (B, score dimension): the scores at the last token of each row.
at::Tensor scores_at_end(const Transformer& model, const ScoreBatch& batch,
                         std::optional<std::uint64_t> dropout_seed = {});

// mean[-log sigmoid(r_better - r_worse)] + regularization mean r^2, over the pairs and over all
// scores.
struct RewardScores {
  at::Tensor better;  // (B)
  at::Tensor worse;   // (B)
};
at::Tensor reward_loss(const RewardScores& scores, double regularization);

// mean[-log sigmoid(c_unsafer - c_safer) - log sigmoid(-sign_safer c_safer)
//      - log sigmoid(-sign_unsafer c_unsafer)] + regularization mean c^2;
// sign +1: the answer is safe, -1: it is not. So a cost is above 0 where an answer is unsafe.
struct CostScores {
  at::Tensor safer;         // (B)
  at::Tensor unsafer;       // (B)
  at::Tensor safer_sign;    // (B)
  at::Tensor unsafer_sign;  // (B)
};
at::Tensor cost_loss(const CostScores& scores, double regularization);

}  // namespace rgu::llm
