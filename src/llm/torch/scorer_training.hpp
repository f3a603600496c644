// Training of score models on preferences: reward models and cost models [safe-rlhf].
#pragma once

#include <cstdint>
#include <span>

#include "rgu/llm/files/model_files.hpp"
#include "rgu/llm/text/preferences.hpp"
#include "rgu/llm/text/tokenizer.hpp"
#include "rgu/llm/torch/training_options.hpp"
#include "rgu/llm/torch/training_run.hpp"

namespace rgu::llm {

struct ScorerTrainingOptions {
  TrainingOptions training = {
      .epochs = 2, .learning_rate = 2e-5, .weight_decay = 0.1, .held_out = 0.1};
  ScoreType type = ScoreType::kReward;  // kReward or kCost
  std::int64_t max_length =
      512;  // tokens of prompt, answer and EOS; the answer's end is cut, EOS stays
  double regularization = 0.001;  // of mean score^2
};

// As describe_training, with the options above.
template <class Visitor, class Options>
void describe_scorer_training(Visitor&& visit, Options& options) {
  visit("type", options.type, "reward or cost");
  visit("max_length", options.max_length, OptionRange{.least = 2, .most = 1 << 20},
        "tokens of prompt, answer and EOS, at most the positions of the model");
  visit("regularization", options.regularization, OptionRange{.least = 0},
        "of the mean squared score");
  describe_training(visit, options.training);
}
void check_options(const ScorerTrainingOptions& options);  // throws InvalidInput

// Minimises, over pairs of answers to one prompt with scores s at the EOS token,
//   reward: mean[-log sigmoid(r_better - r_worse)] + regularization mean r^2;
//   cost:   mean[-log sigmoid(c_unsafer - c_safer) - log sigmoid(-sign c) of both] + regularization
//   mean c^2,
//           with sign +1 for a safe answer and -1 for an unsafe one: cost > 0 means unsafe.
// `start` is a score model, or a language model whose trunk gets a new score head (normal weights,
// zero bias). With an adapter, the score head is trained whole and saved with it. The model is
// saved with score_type, the mean and variance of its training scores (moving average, 0.9) and
// do_normalize false. Throws InvalidInput as train_language_model, and for a pair whose safer
// answer is marked unsafe while the other is safe (cost), or whose answers tokenise equally.
TrainingResult train_scorer(const ModelFiles& start, const Tokenizer& tokenizer,
                            std::span<const PreferencePair> pairs,
                            const ScorerTrainingOptions& options, const TrainingTarget& target,
                            const TrainingObserver& observe = {});

}  // namespace rgu::llm
