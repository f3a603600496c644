#include "rgu/llm/torch/ppo_passes.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

namespace rgu::llm {
namespace {

using Indices = std::span<const std::int64_t>;

std::size_t length_of(const Rollout& rollout) {
  return rollout.prompt.size() + rollout.answer.size();
}

const Rollout& at(std::span<const Rollout> rollouts, std::int64_t b) {
  return rollouts[static_cast<std::size_t>(b)];
}

std::vector<std::int64_t> by_length(std::span<const Rollout> rollouts, Indices chosen) {
  std::vector<std::int64_t> sorted(chosen.begin(), chosen.end());
  std::ranges::stable_sort(sorted, {}, [&](std::int64_t b) { return length_of(at(rollouts, b)); });
  return sorted;
}

AnswerSpans spans_of_chosen(std::span<const Rollout> rollouts, Indices chosen) {
  AnswerSpans spans;
  for (const std::int64_t b : chosen) {
    spans.offsets.push_back(spans.tokens() +
                            static_cast<std::int64_t>(at(rollouts, b).answer.size()));
  }
  return spans;
}

LanguageBatch language_of(std::span<const Rollout> rollouts, Indices chosen) {
  std::vector<std::vector<TokenId>> sequences;
  for (const std::int64_t b : chosen) {
    const Rollout& rollout = at(rollouts, b);
    std::vector<TokenId>& tokens =
        sequences.emplace_back(rollout.prompt.begin(), rollout.prompt.end());
    tokens.insert(tokens.end(), rollout.answer.begin(), rollout.answer.end());
  }
  std::vector<LanguageRow> rows;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const auto first = static_cast<std::int64_t>(at(rollouts, chosen[i]).prompt.size());
    rows.push_back({.tokens = sequences[i], .first = first});
  }
  return language_batch(rows);
}

std::vector<Index> entries_of(const AnswerSpans& all, Indices chosen) {
  std::vector<Index> entries;
  for (const std::int64_t b : chosen) {
    const auto begin = all.offsets.begin() + b;
    for (std::int64_t entry = begin[0]; entry < begin[1]; ++entry) entries.push_back(entry);
  }
  return entries;
}

MiniBatch minibatch_of(std::span<const Rollout> rollouts, const AnswerSpans& all, Indices chosen,
                       const PpoOptions& options) {
  const std::vector<std::int64_t> sorted = by_length(rollouts, chosen);
  const at::Tensor weights =
      averaging_weights(spans_of_chosen(rollouts, sorted), options.averaging);
  const auto passes = static_cast<std::size_t>(options.accumulation);
  const std::size_t rows = (sorted.size() + passes - 1) / passes;
  MiniBatch minibatch;
  std::int64_t done = 0;
  for (std::size_t begin = 0; begin < sorted.size(); begin += rows) {
    const Indices part = Indices(sorted).subspan(begin, std::min(rows, sorted.size() - begin));
    Pass pass = {
        .language = language_of(rollouts, part), .entries = entries_of(all, part), .weights = {}};
    pass.weights = weights.narrow(0, done, pass.tokens());
    done += pass.tokens();
    minibatch.push_back(std::move(pass));
  }
  return minibatch;
}

}  // namespace

AnswerSpans spans_of(std::span<const Rollout> rollouts) {
  std::vector<std::int64_t> all(rollouts.size());
  std::iota(all.begin(), all.end(), 0);
  return spans_of_chosen(rollouts, all);
}

std::vector<MiniBatch> minibatches(std::span<const Rollout> rollouts,
                                   std::span<const std::int64_t> order, const PpoOptions& options) {
  const AnswerSpans all = spans_of(rollouts);
  const auto size = static_cast<std::size_t>(options.minibatch);
  std::vector<MiniBatch> made;
  for (std::size_t begin = 0; begin < order.size(); begin += size) {
    const Indices chosen = order.subspan(begin, std::min(size, order.size() - begin));
    made.push_back(minibatch_of(rollouts, all, chosen, options));
  }
  return made;
}

at::Tensor answer_states(const Transformer& model, const Pass& pass,
                         std::optional<std::uint64_t> dropout_seed) {
  const at::Tensor states = model.forward(
      pass.language.inputs, {.mask = {}, .cache = nullptr, .dropout_seed = dropout_seed});
  return states.view({-1, states.size(-1)})
      .index_select(0, pass.language.positions.to(states.device()));
}

at::Tensor tensor_of(const Vector& values) {
  at::Tensor tensor = at::empty({values.size()}, at::TensorOptions().dtype(at::kDouble));
  Eigen::Map<Vector>(tensor.data_ptr<double>(), values.size()) = values;
  return tensor;
}

Vector vector_of(const at::Tensor& values) {
  const at::Tensor numbers = values.detach().to(at::kCPU, at::kDouble).contiguous();
  return Eigen::Map<const Vector>(numbers.data_ptr<double>(), numbers.numel());
}

}  // namespace rgu::llm
