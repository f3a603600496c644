#include "rgu/llm/torch/evaluation.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "rgu/base/check.hpp"
#include "rgu/llm/torch/lora.hpp"
#include "rgu/llm/torch/losses.hpp"
#include "rgu/llm/torch/score_head.hpp"
#include "rgu/llm/torch/torch_setup.hpp"

namespace rgu::llm {
namespace {

Transformer opened(const ModelFiles& model, const std::optional<AdapterFiles>& adapter, Head head,
                   const EvaluationOptions& options) {
  check_count("batch", options.batch);
  prepare_torch(options.threads);
  Transformer opened(model.config, model.weights,
                     {.head = head,
                      .compute = options.compute,
                      .device = options.device,
                      .base = BaseWeights::kFrozen});
  if (adapter) {
    load_adapter(opened, *adapter);
    merge_adapter(opened);
  }
  return opened;
}

bool goes_on(const EvaluationOptions& options, std::size_t done, std::size_t all) {
  return !options.observe || options.observe({.done = static_cast<std::int64_t>(done),
                                              .all = static_cast<std::int64_t>(all)});
}

// Windows of `window` inputs that begin `stride` apart, each with the targets that no earlier one
// has.
std::vector<LanguageRow> windows(std::span<const TokenId> tokens,
                                 const PerplexityOptions& options) {
  const auto window = static_cast<std::size_t>(options.window);
  std::vector<LanguageRow> rows;
  std::size_t counted = 0;  // the last token with a prediction
  for (std::size_t begin = 0; counted + 1 < tokens.size();
       begin += static_cast<std::size_t>(options.stride)) {
    const std::size_t size = std::min(window + 1, tokens.size() - begin);
    rows.push_back({.tokens = tokens.subspan(begin, size),
                    .first = static_cast<std::int64_t>(counted + 1 - begin)});
    counted = begin + size - 1;
  }
  return rows;
}

}  // namespace

double Perplexity::perplexity() const { return std::exp(mean()); }

double Perplexity::bits_per_byte(std::int64_t bytes) const {
  return negative_log_likelihood / std::numbers::ln2 / static_cast<double>(bytes);
}

void check_options(const PerplexityOptions& options) {
  check_count("batch", options.run.batch);
  check_count("window", options.window);
  check(options.stride >= 1 && options.stride <= options.window,
        "stride = {}: must be from 1 to window, which is {}", options.stride, options.window);
}

Perplexity perplexity(const ModelFiles& model, const std::optional<AdapterFiles>& adapter,
                      std::span<const TokenId> tokens, const PerplexityOptions& options) {
  check_options(options);
  check(tokens.size() >= 2, "a text of {} tokens: at least 2 are needed", tokens.size());
  check(options.window <= model.config.max_positions, "window = {}: the model has {} positions",
        options.window, model.config.max_positions);
  const Transformer transformer = opened(model, adapter, Head::kLanguage, options.run);
  const at::NoGradGuard no_gradients;
  const std::vector<LanguageRow> rows = windows(tokens, options);
  const auto batch = static_cast<std::size_t>(options.run.batch);
  Perplexity answer;
  for (std::size_t begin = 0; begin < rows.size() && answer.complete; begin += batch) {
    const std::size_t size = std::min(batch, rows.size() - begin);
    const LanguageBatch part = language_batch(std::span(rows).subspan(begin, size));
    answer.negative_log_likelihood += language_loss_sum(transformer, part).item<double>();
    answer.tokens += part.predicted();
    const std::size_t done = begin + size;
    answer.complete = goes_on(options.run, done, rows.size()) || done == rows.size();
  }
  return answer;
}

namespace {

Transformer opened_scorer(const ModelFiles& model, const std::optional<AdapterFiles>& adapter,
                          const EvaluationOptions& options) {
  const ModelFiles scorer = adapter ? with_score_head(model, *adapter) : model;
  check(scorer.config.score.has_value(), "a model without a score head gives no scores");
  return opened(scorer, adapter, Head::kScore, options);
}

// The longest first.
std::vector<std::size_t> order_by_length(std::span<const std::vector<TokenId>> sequences) {
  std::vector<std::size_t> order(sequences.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{},
                           [&](std::size_t i) { return sequences[i].size(); });
  return order;
}

}  // namespace

ScoreModel::ScoreModel(const ModelFiles& model, const std::optional<AdapterFiles>& adapter,
                       const EvaluationOptions& options)
    : options_(options),
      transformer_(std::make_unique<const Transformer>(opened_scorer(model, adapter, options))) {}
ScoreModel::~ScoreModel() = default;
ScoreModel::ScoreModel(ScoreModel&&) noexcept = default;
ScoreModel& ScoreModel::operator=(ScoreModel&&) noexcept = default;

std::vector<std::vector<double>> ScoreModel::scores(
    std::span<const std::vector<TokenId>> sequences) const {
  const at::NoGradGuard no_gradients;
  const std::vector<std::size_t> order = order_by_length(sequences);
  const auto dimension = static_cast<std::size_t>(transformer_->config().score->dimension);
  std::vector<std::vector<double>> answer(
      sequences.size(), std::vector<double>(dimension, std::numeric_limits<double>::quiet_NaN()));
  const auto batch = static_cast<std::size_t>(options_.batch);
  for (std::size_t begin = 0; begin < order.size(); begin += batch) {
    const std::size_t size = std::min(batch, order.size() - begin);
    std::vector<std::span<const TokenId>> rows;
    for (std::size_t i = begin; i < begin + size; ++i) rows.push_back(sequences[order[i]]);
    const at::Tensor values =
        scores_at_end(*transformer_, score_batch(rows)).to(at::kCPU, at::kDouble).contiguous();
    for (std::size_t i = 0; i < size; ++i) {
      std::copy_n(values.data_ptr<double>() + i * dimension, dimension,
                  answer[order[begin + i]].begin());
    }
    if (!goes_on(options_, begin + size, order.size())) break;
  }
  return answer;
}

std::vector<std::vector<double>> scores(const ModelFiles& model,
                                        const std::optional<AdapterFiles>& adapter,
                                        std::span<const std::vector<TokenId>> sequences,
                                        const EvaluationOptions& options) {
  return ScoreModel(model, adapter, options).scores(sequences);
}

}  // namespace rgu::llm
