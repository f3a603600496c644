// How well a language model predicts text, and what a score model thinks of texts.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rgu/llm/files/model_files.hpp"
#include "rgu/llm/files/token_id.hpp"

namespace rgu::llm {

class Transformer;

struct EvaluationOptions {
  int threads = 0;  // 0: as many as the machine has
  std::string device = "cpu";
  std::int64_t batch = 8;                            // windows or texts at once
  std::optional<DataType> compute = DataType::kF32;  // none: the type of the weights in the file
  // Told after every batch: how many of all windows or texts are done. Returns false to stop.
  struct Progress {
    std::int64_t done = 0;
    std::int64_t all = 0;
  };
  std::function<bool(const Progress&)> observe = {};
};

struct PerplexityOptions {
  EvaluationOptions run = {};
  std::int64_t window = 512;  // tokens a prediction may look back at, at most the model's positions
  std::int64_t stride = 512;  // 1 .. window: windows begin this far apart; smaller: longer contexts
};
void check_options(const PerplexityOptions& options);  // throws InvalidInput

struct Perplexity {
  std::int64_t tokens = 0;             // that were predicted: all but the first
  double negative_log_likelihood = 0;  // the sum, in nats
  bool complete = true;                // false: stopped by the observer

  double mean() const { return negative_log_likelihood / static_cast<double>(tokens); }
  double perplexity() const;                       // exp(mean)
  double bits_per_byte(std::int64_t bytes) const;  // of a text of so many bytes
};
// -log p of every token of the sequence but the first, given those before it in its window. A token
// is counted once, in the first window that holds it. Throws InvalidInput for fewer than two
// tokens, and where adapter, window or tokens do not fit the model.
Perplexity perplexity(const ModelFiles& model, const std::optional<AdapterFiles>& adapter,
                      std::span<const TokenId> tokens, const PerplexityOptions& options = {});

// A score model, with its adapter merged, ready to be asked again and again. It keeps the weights
// alive.
class ScoreModel {
 public:
  // Throws InvalidInput if there is no score head, neither in the model nor in the adapter, or
  // something does not fit.
  ScoreModel(const ModelFiles& model, const std::optional<AdapterFiles>& adapter,
             const EvaluationOptions& options = {});
  ~ScoreModel();
  ScoreModel(ScoreModel&&) noexcept;
  ScoreModel& operator=(ScoreModel&&) noexcept;

  // The score at the last token of each sequence, normalised as the config says: `dimension`
  // numbers a sequence, in the order of the sequences. Read in batches of similar length, padded on
  // the right. Stopped by the observer, the scores that are missing are NaN. Throws InvalidInput
  // for an empty sequence, or one that is longer than the model's positions.
  std::vector<std::vector<double>> scores(std::span<const std::vector<TokenId>> sequences) const;

 private:
  EvaluationOptions options_;
  std::unique_ptr<const Transformer> transformer_;
};

// ScoreModel(model, adapter, options).scores(sequences).
std::vector<std::vector<double>> scores(const ModelFiles& model,
                                        const std::optional<AdapterFiles>& adapter,
                                        std::span<const std::vector<TokenId>> sequences,
                                        const EvaluationOptions& options = {});

}  // namespace rgu::llm
