#include "rgu/llm/torch/language_training.hpp"

#include <ATen/ATen.h>

#include <algorithm>

#include "rgu/base/check.hpp"
#include "rgu/llm/torch/example_order.hpp"
#include "rgu/llm/torch/lora.hpp"
#include "rgu/llm/torch/losses.hpp"
#include "rgu/llm/torch/torch_setup.hpp"
#include "rgu/llm/torch/trained_model.hpp"
#include "rgu/llm/torch/training_loop.hpp"

namespace rgu::llm {
namespace {

// Stretches of length + 1 tokens, each beginning with the last token of the one before.
std::vector<LanguageRow> stream_rows(std::span<const TokenId> stream, std::int64_t length) {
  check(stream.size() >= 2, "text of {} tokens: at least 2 are needed to learn from",
        stream.size());
  std::vector<LanguageRow> rows;
  for (std::size_t begin = 0; begin + 1 < stream.size();
       begin += static_cast<std::size_t>(length)) {
    const std::size_t size = std::min(static_cast<std::size_t>(length) + 1, stream.size() - begin);
    rows.push_back({.tokens = stream.subspan(begin, size), .first = 1});
  }
  return rows;
}

std::vector<LanguageRow> pair_rows(std::span<const PromptAnswer> pairs, std::int64_t length) {
  std::vector<LanguageRow> rows;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::span<const TokenId> tokens = pairs[i].tokens;
    const auto size = std::min(tokens.size(), static_cast<std::size_t>(length) + 1);
    const std::int64_t first = std::max<std::int64_t>(1, pairs[i].answer);
    check(first < static_cast<std::int64_t>(size),
          "pair {}: its prompt has {} tokens, which leaves nothing of the answer within {}", i + 1,
          pairs[i].answer, length);
    rows.push_back({.tokens = tokens.first(size), .first = first});
  }
  return rows;
}

std::vector<LanguageRow> rows_of(const LanguageData& data, std::int64_t length) {
  check(data.stream.empty() || data.pairs.empty(),
        "text and prompt-answer pairs in one run: train on one kind after the other");
  return data.pairs.empty() ? stream_rows(data.stream, length) : pair_rows(data.pairs, length);
}

class LanguageTask final : public TrainingTask {
 public:
  LanguageTask(const Transformer& model, std::vector<LanguageRow> rows, std::int64_t held_out,
               const TrainingTarget& target, std::int64_t pass)
      : model_(model), rows_(std::move(rows)), held_out_(held_out), target_(target), pass_(pass) {}

  Learned learn(const TrainingUpdate& update) override {
    std::vector<LanguageBatch> batches;
    Learned learned;
    std::int64_t predicted = 0;
    for (std::int64_t part = 0; part < update.parts; ++part) {
      batches.push_back(batch_of(update.part(part)));
      predicted += batches.back().predicted();
      learned.tokens += batches.back().tokens;
    }
    for (std::int64_t part = 0; part < update.parts; ++part) {
      const at::Tensor loss = language_loss_sum(model_, batches[static_cast<std::size_t>(part)],
                                                update.dropout_seed(part)) /
                              predicted;
      loss.backward();
      learned.loss += loss.item<double>();
    }
    return learned;
  }

  TrainingEvaluation evaluate() override {
    const std::span<const LanguageRow> rows =
        std::span(rows_).last(static_cast<std::size_t>(held_out_));
    double sum = 0;
    std::int64_t predicted = 0;
    for (std::size_t begin = 0; begin < rows.size(); begin += static_cast<std::size_t>(pass_)) {
      const LanguageBatch batch = language_batch(
          rows.subspan(begin, std::min(static_cast<std::size_t>(pass_), rows.size() - begin)));
      sum += language_loss_sum(model_, batch).item<double>();
      predicted += batch.predicted();
    }
    return {.loss = sum / static_cast<double>(predicted)};
  }

  void save(const std::filesystem::path& folder) override {
    save_trained(model_, model_.config(), target_.base_model, folder);
  }

 private:
  LanguageBatch batch_of(std::span<const std::int64_t> examples) const {
    std::vector<LanguageRow> rows;
    for (const std::int64_t example : examples) {
      rows.push_back(rows_[static_cast<std::size_t>(example)]);
    }
    return language_batch(rows);
  }

  const Transformer& model_;
  std::vector<LanguageRow> rows_;
  std::int64_t held_out_;
  const TrainingTarget& target_;
  std::int64_t pass_;  // rows of an evaluation that are read at once
};

Fingerprint fingerprint_of(const ModelFiles& start, const LanguageData& data,
                           const LanguageTrainingOptions& options) {
  Fingerprint fingerprint;
  const FingerprintOptions put{fingerprint};
  describe_language_training(put, options);
  put.adapter(options.training.adapter);
  put_start(fingerprint, start);
  Checksum checksum;
  checksum.add(std::span<const TokenId>(data.stream));
  for (const PromptAnswer& pair : data.pairs) {
    checksum.add(std::span<const TokenId>(pair.tokens));
    checksum.add(std::span<const std::int64_t>(&pair.answer, 1));
  }
  fingerprint["data"] = checksum.text();
  return fingerprint;
}

}  // namespace

void check_options(const LanguageTrainingOptions& options) {
  describe_language_training(OptionCheck{}, options);
  check_options(options.training);
}

ModelFiles random_model(const ModelConfig& config, std::uint64_t seed) {
  check_config(config, "the new model");
  Rng rng(seed, training_stream::kNewWeights);
  return {.config = config, .weights = random_weights(config, Head::kLanguage, rng), .folder = {}};
}

TrainingResult train_language_model(const ModelFiles& start, const LanguageData& data,
                                    const LanguageTrainingOptions& options,
                                    const TrainingTarget& target, const TrainingObserver& observe) {
  check_options(options);
  check(options.sequence_length <= start.config.max_positions,
        "sequence_length = {}: the model has {} positions", options.sequence_length,
        start.config.max_positions);
  prepare_torch(options.training.threads);
  std::vector<LanguageRow> rows = rows_of(data, options.sequence_length);
  const auto all = static_cast<std::int64_t>(rows.size());
  const std::int64_t held_out = held_out_count(options.training, all);
  const Transformer model = trained_model(start, Head::kLanguage, options.training);
  LanguageTask task(model, std::move(rows), held_out, target,
                    options.training.batch / options.training.accumulation);
  return run_training(task,
                      {.options = options.training,
                       .examples = all - held_out,
                       .evaluated = held_out > 0,
                       .parameters = trainable_parameters(model),
                       .further = {},
                       .fingerprint = fingerprint_of(start, data, options)},
                      target, observe);
}

}  // namespace rgu::llm
