#include "rgu/llm/torch/torch_generate.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>

#include "rgu/base/check.hpp"
#include "rgu/llm/torch/token_sampler.hpp"

namespace rgu::llm {
namespace {

using Prompts = std::span<const std::vector<TokenId>>;

void check_prompts(Prompts prompts, const ModelConfig& config) {
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    const auto length = static_cast<std::int64_t>(prompts[i].size());
    check(length >= 1, "prompt {} is empty", i);
    check(length < config.max_positions,
          "prompt {} has {} tokens: must be fewer than the {} positions of the model", i, length,
          config.max_positions);
  }
}

// Token ids on the left-padded grid, and its mask; both (rows, longest).
struct Padded {
  at::Tensor ids;
  at::Tensor mask;
};

Padded padded_left(const std::vector<const std::vector<TokenId>*>& rows) {
  std::size_t longest = 0;
  for (const auto* row : rows) longest = std::max(longest, row->size());
  const std::vector<std::int64_t> shape = {static_cast<std::int64_t>(rows.size()),
                                           static_cast<std::int64_t>(longest)};
  const auto integers = at::TensorOptions().dtype(at::kLong);
  Padded padded = {.ids = at::zeros(shape, integers), .mask = at::zeros(shape, integers)};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t end = (i + 1) * longest;
    std::copy_backward(rows[i]->begin(), rows[i]->end(), padded.ids.data_ptr<std::int64_t>() + end);
    std::fill_n(padded.mask.data_ptr<std::int64_t>() + end - rows[i]->size(), rows[i]->size(), 1);
  }
  return padded;
}

at::Tensor tensor_of_indices(const std::vector<std::int64_t>& values) {
  return at::tensor(values, at::TensorOptions().dtype(at::kLong));
}

// Sequences first .. first + count - 1 of a call, in work together.
class Batch {
 public:
  Batch(const Transformer& model, Prompts prompts, const GenerateOptions& options,
        std::vector<Sequence>& sequences)
      : model_(model), prompts_(prompts), options_(options), sequences_(sequences) {}

  // Reads the prompts, equal ones once; the logits of what follows each are in logits_ afterwards.
  void read_prompts(std::size_t first, std::size_t count);
  bool done() const { return active_.empty(); }
  std::int64_t active() const { return static_cast<std::int64_t>(active_.size()); }
  void sample();              // one token for every active sequence
  std::int64_t drop_ended();  // how many ended; the others are read on

 private:
  std::int64_t limit(std::size_t i) const {
    const auto length = static_cast<std::int64_t>(prompts_[i].size());
    return std::min(options_.sampling.max_new_tokens, model_.config().max_positions - length);
  }
  void read_on(const std::vector<std::int64_t>& rows);

  const Transformer& model_;
  Prompts prompts_;
  const GenerateOptions& options_;
  std::vector<Sequence>& sequences_;
  std::vector<std::size_t> active_;  // sequence of each row
  std::uint32_t step_ = 0;
  std::optional<KeyValueCache> cache_;
  at::Tensor logits_;  // (rows, vocabulary)
};

void Batch::read_prompts(std::size_t first, std::size_t count) {
  std::map<std::vector<TokenId>, std::int64_t> row_of;
  std::vector<const std::vector<TokenId>*> distinct;
  std::vector<std::int64_t> rows;
  std::int64_t most_new = 0;
  for (std::size_t i = first; i < first + count; ++i) {
    const auto [found, added] =
        row_of.try_emplace(prompts_[i], static_cast<std::int64_t>(distinct.size()));
    if (added) distinct.push_back(&prompts_[i]);
    rows.push_back(found->second);
    active_.push_back(i);
    most_new = std::max(most_new, limit(i));
  }
  const Padded padded = padded_left(distinct);
  cache_.emplace(model_.config(),
                 KeyValueCache::Size{.rows = static_cast<std::int64_t>(distinct.size()),
                                     .capacity = padded.ids.size(1) + most_new},
                 model_.base_parameters().front().tensor);
  const at::Tensor hidden =
      model_.forward(padded.ids, {.mask = padded.mask, .cache = &*cache_, .dropout_seed = {}});
  const at::Tensor index = tensor_of_indices(rows);
  if (distinct.size() < rows.size()) cache_->keep_rows(index);
  logits_ = model_.logits(hidden.select(1, hidden.size(1) - 1))
                .index_select(0, index.to(model_.device()));
}

void Batch::sample() {
  std::vector<double> uniforms;
  for (const std::size_t i : active_) {
    const auto stream = options_.first_sequence + static_cast<std::uint32_t>(i);
    uniforms.push_back(uniform_of(options_.streams.block(stream, step_)));
  }
  const SampledTokens sampled = sampled_tokens(logits_, uniforms, options_.sampling);
  for (std::size_t row = 0; row < active_.size(); ++row) {
    Sequence& sequence = sequences_[active_[row]];
    sequence.tokens.push_back(sampled.tokens[row]);
    sequence.log_probabilities.push_back(sampled.log_probabilities[row]);
    sequence.stopped = options_.sampling.stop == sampled.tokens[row];
  }
  ++step_;
}

std::int64_t Batch::drop_ended() {
  std::vector<std::int64_t> rows;
  std::vector<std::size_t> still_active;
  for (std::size_t row = 0; row < active_.size(); ++row) {
    const Sequence& sequence = sequences_[active_[row]];
    const auto length = static_cast<std::int64_t>(sequence.tokens.size());
    if (sequence.stopped || length >= limit(active_[row])) continue;
    rows.push_back(static_cast<std::int64_t>(row));
    still_active.push_back(active_[row]);
  }
  const auto ended = static_cast<std::int64_t>(active_.size() - still_active.size());
  active_ = std::move(still_active);
  if (!active_.empty()) read_on(rows);
  return ended;
}

void Batch::read_on(const std::vector<std::int64_t>& rows) {
  if (static_cast<std::int64_t>(rows.size()) < cache_->rows()) {
    cache_->keep_rows(tensor_of_indices(rows));
  }
  std::vector<std::int64_t> last;
  for (const std::size_t i : active_) last.push_back(sequences_[i].tokens.back());
  const at::Tensor ids = tensor_of_indices(last).unsqueeze(1);
  logits_ = model_.logits(
      model_.forward(ids, {.mask = {}, .cache = &*cache_, .dropout_seed = {}}).squeeze(1));
}

}  // namespace

std::vector<Sequence> generate(const Transformer& model, Prompts prompts,
                               const GenerateOptions& options) {
  check_options(options.sampling);
  check(options.batch >= 1, "batch = {}: must be at least 1", options.batch);
  check_prompts(prompts, model.config());
  const at::NoGradGuard no_gradients;
  std::vector<Sequence> sequences(prompts.size());
  GenerateOptions::Progress progress;
  for (std::size_t first = 0; first < prompts.size();) {
    const std::size_t count =
        std::min(static_cast<std::size_t>(options.batch), prompts.size() - first);
    Batch batch(model, prompts, options, sequences);
    batch.read_prompts(first, count);
    while (!batch.done()) {
      progress.tokens += batch.active();
      batch.sample();
      progress.finished += batch.drop_ended();
      if (options.observe && !options.observe(progress)) return sequences;
    }
    first += count;
  }
  return sequences;
}

}  // namespace rgu::llm
