// Training of language models: pre-training and fine-tuning, all weights or a low-rank adapter.
#pragma once

#include <cstdint>

#include "rgu/llm/files/model_files.hpp"
#include "rgu/llm/text/language_data.hpp"
#include "rgu/llm/torch/training_options.hpp"
#include "rgu/llm/torch/training_run.hpp"

namespace rgu::llm {

struct LanguageTrainingOptions {
  TrainingOptions training = {.learning_rate = 1e-3, .beta2 = 0.95, .weight_decay = 0.1};
  std::int64_t sequence_length =
      256;  // tokens that are predicted at once, at most the model's positions
};

// As describe_training, with the options above.
template <class Visitor, class Options>
void describe_language_training(Visitor&& visit, Options& options) {
  visit("sequence_length", options.sequence_length, OptionRange{.least = 1, .most = 1 << 20},
        "tokens of a sequence, at most the positions of the model");
  describe_training(visit, options.training);
}
void check_options(const LanguageTrainingOptions& options);  // throws InvalidInput

// What training starts from: weights of a file (open_model), or random ones of any shape.
ModelFiles random_model(const ModelConfig& config, std::uint64_t seed);

// Minimises the mean of -log p(token | those before it) over the positions that carry loss. A
// stream is cut into sequences of sequence_length + 1 tokens, each beginning with the last token of
// the one before; they come in a new random order in every epoch. Sequences held out are the last
// ones. Longer prompt-answer pairs lose their end, or throw InvalidInput if nothing of the answer
// is left.
//
// A run that is stopped and resumed ends with the same weights, to the last bit, as one that was
// not (same machine, threads and options). Throws InvalidInput on options, data and weights that do
// not fit, and on a checkpoint of other options or data, naming what differs; FileError.
TrainingResult train_language_model(const ModelFiles& start, const LanguageData& data,
                                    const LanguageTrainingOptions& options,
                                    const TrainingTarget& target,
                                    const TrainingObserver& observe = {});

}  // namespace rgu::llm
