#include "rgu/llm/torch/scorer_training.hpp"

#include <algorithm>
#include <array>

#include "rgu/base/check.hpp"
#include "rgu/llm/torch/example_order.hpp"
#include "rgu/llm/torch/lora.hpp"
#include "rgu/llm/torch/score_head.hpp"
#include "rgu/llm/torch/scorer_task.hpp"
#include "rgu/llm/torch/torch_setup.hpp"
#include "rgu/llm/torch/trained_model.hpp"

namespace rgu::llm {
namespace {

Fingerprint fingerprint_of(const ModelFiles& start, std::span<const TokenPair> pairs,
                           const ScorerTrainingOptions& options) {
  Fingerprint fingerprint;
  const FingerprintOptions put{fingerprint};
  describe_scorer_training(put, options);
  put.adapter(options.training.adapter);
  put_start(fingerprint, start);
  Checksum checksum;
  for (const TokenPair& pair : pairs) {
    checksum.add(std::span<const TokenId>(pair.high.tokens));
    checksum.add(std::span<const TokenId>(pair.low.tokens));
    const std::array<double, 2> signs = {pair.high.sign, pair.low.sign};
    checksum.add(std::span<const double>(signs));
  }
  fingerprint["data"] = checksum.text();
  return fingerprint;
}

// The score head is trained whole beside an adapter.
TrainingOptions with_saved_head(TrainingOptions options) {
  if (!options.adapter) return options;
  options.adapter->task = "SEQ_CLS";
  auto& saved = options.adapter->modules_to_save;
  if (std::ranges::find(saved, "score_head") == saved.end()) saved.push_back("score_head");
  return options;
}

}  // namespace

void check_options(const ScorerTrainingOptions& options) {
  describe_scorer_training(OptionCheck{}, options);
  check(options.type != ScoreType::kCritic, "type = critic: must be reward or cost");
  check_options(options.training);
}

TrainingResult train_scorer(const ModelFiles& start, const Tokenizer& tokenizer,
                            std::span<const PreferencePair> pairs,
                            const ScorerTrainingOptions& options, const TrainingTarget& target,
                            const TrainingObserver& observe) {
  check_options(options);
  check(options.max_length <= start.config.max_positions,
        "max_length = {}: the model has {} positions", options.max_length,
        start.config.max_positions);
  check(!pairs.empty(), "no preferences to learn from");
  prepare_torch(options.training.threads);
  const std::vector<TokenPair> tokens = token_pairs(pairs, tokenizer, options);
  const auto all = static_cast<std::int64_t>(tokens.size());
  const std::int64_t held_out = held_out_count(options.training, all);

  Rng rng(options.training.seed, training_stream::kNewHead);
  const ModelFiles begin = with_score_head(start, {.dimension = 1, .type = options.type}, rng);
  const TrainingOptions training = with_saved_head(options.training);
  const Transformer model = trained_model(begin, Head::kScore, training);
  ScorerTask task(model, tokens,
                  {.options = options, .held_out = held_out, .base_model = target.base_model});
  return run_training(task,
                      {.options = training,
                       .examples = all - held_out,
                       .evaluated = held_out > 0,
                       .parameters = trainable_parameters(model),
                       .further = task.statistics(),
                       .fingerprint = fingerprint_of(start, tokens, options)},
                      target, observe);
}

}  // namespace rgu::llm
