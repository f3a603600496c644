// Learning from pairs of answers: what train_scorer gives to the training loop.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rgu/llm/torch/losses.hpp"
#include "rgu/llm/torch/scorer_training.hpp"
#include "rgu/llm/torch/training_loop.hpp"
#include "rgu/llm/torch/transformer.hpp"

namespace rgu::llm {

struct TokenAnswer {
  std::vector<TokenId> tokens = {};  // prompt, answer, EOS
  double sign = 1;                   // +1: safe, -1: not
};
// `high` is the answer whose score should be higher: the better one (reward), the less safe one
// (cost).
struct TokenPair {
  TokenAnswer high = {};
  TokenAnswer low = {};
};
// Throws InvalidInput as train_scorer.
std::vector<TokenPair> token_pairs(std::span<const PreferencePair> pairs,
                                   const Tokenizer& tokenizer,
                                   const ScorerTrainingOptions& options);

class ScorerTask final : public TrainingTask {
 public:
  struct Setup {
    ScorerTrainingOptions options = {};
    std::int64_t held_out = 0;  // the last pairs
    std::string base_model = {};
  };
  ScorerTask(const Transformer& model, std::span<const TokenPair> pairs, Setup setup);

  // Moving averages of the mean and the variance of the scores of a batch, by 0.9, from the first
  // batch on: one tensor (mean, variance, batches), float64.
  std::vector<NamedTensor> statistics() const { return {{"score_statistics", statistics_}}; }

  Learned learn(const TrainingUpdate& update) override;
  TrainingEvaluation evaluate() override;
  void save(const std::filesystem::path& folder) override;

 private:
  struct Scores {
    at::Tensor high;       // (B)
    at::Tensor low;        // (B)
    at::Tensor high_sign;  // (B)
    at::Tensor low_sign;   // (B)
    std::int64_t tokens = 0;
  };
  Scores scores_of(std::span<const TokenPair* const> pairs,
                   std::optional<std::uint64_t> dropout_seed) const;
  at::Tensor loss_of(const Scores& scores) const;  // the mean over the pairs
  void count(const at::Tensor& scores);

  const Transformer& model_;
  std::span<const TokenPair> pairs_;
  Setup setup_;
  at::Tensor statistics_;
};

}  // namespace rgu::llm
