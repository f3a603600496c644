#include "rgu/llm/torch/ppo_measure.hpp"

#include <ATen/ATen.h>

#include <algorithm>

#include "rgu/llm/torch/lora.hpp"
#include "rgu/llm/torch/ppo_ranks.hpp"
#include "rgu/llm/torch/token_log_probabilities.hpp"

namespace rgu::llm {
namespace {

// Logits made at once for the full KL: 16 MB in float32, and a few tensors of that size.
constexpr std::int64_t kLogitsAtOnce = 1 << 22;

// The distributions that one model has in the states of a pass.
struct Distributions {
  at::Tensor states;  // (N, hidden)
  at::Tensor weight;  // (vocabulary, hidden): of the output head

  at::Tensor log_softmax(std::int64_t begin, std::int64_t rows, double temperature) const {
    const at::Tensor logits = at::mm(states.narrow(0, begin, rows), weight.t());
    return at::log_softmax(
        logits.to(at::promote_types(logits.scalar_type(), at::kFloat)) / temperature, -1);
  }
};

Distributions distributions(const Transformer& model, const Pass& pass) {
  return {.states = answer_states(model, pass), .weight = model.output_weight()};
}

TokenLogProbabilities chosen_tokens(const Distributions& of, const Pass& pass,
                                    const LogProbabilityOptions& options) {
  return token_log_probabilities(of.states, pass.language.targets.to(of.states.device()), of.weight,
                                 options);
}

// (N): sum_v p(v) (log p(v) - log q(v)), a few rows at a time.
at::Tensor full_kl(const Distributions& policy, const Distributions& reference,
                   double temperature) {
  const std::int64_t all = policy.states.size(0);
  const std::int64_t step = std::max<std::int64_t>(1, kLogitsAtOnce / policy.weight.size(0));
  std::vector<at::Tensor> parts;
  for (std::int64_t begin = 0; begin < all; begin += step) {
    const std::int64_t rows = std::min(step, all - begin);
    const at::Tensor p = policy.log_softmax(begin, rows, temperature);
    const at::Tensor q = reference.log_softmax(begin, rows, temperature);
    parts.push_back((p.exp() * (p - q)).sum(-1).clamp_min_(0));  // below 0 only by rounding
  }
  return at::cat(parts);
}

void measure_pass(Transformer& model, std::span<const ValueHead> heads, const Pass& pass,
                  const MeasureOptions& options, OldPolicy& old) {
  const Distributions policy = distributions(model, pass);
  const AdapterOff off(model);
  const Distributions reference = distributions(model, pass);
  const TokenLogProbabilities own =
      chosen_tokens(policy, pass, {.temperature = options.temperature, .entropy = true});
  const Vector log_probabilities = vector_of(own.values);
  old.log_probabilities(pass.entries) = log_probabilities;
  old.entropy(pass.entries) = vector_of(own.entropy);
  for (std::size_t j = 0; j < heads.size(); ++j) {
    old.values[j](pass.entries) = vector_of(heads[j].values(policy.states));
  }
  if (options.kl_estimator == KlEstimator::kFull) {
    old.kl(pass.entries) = vector_of(full_kl(policy, reference, options.temperature));
    return;
  }
  const TokenLogProbabilities theirs =
      chosen_tokens(reference, pass, {.temperature = options.temperature});
  old.kl(pass.entries) =
      token_kl(options.kl_estimator, log_probabilities, vector_of(theirs.values));
}

}  // namespace

OldPolicy measured(Transformer& model, std::span<const ValueHead> heads,
                   std::span<const MiniBatch> passes, const MeasureOptions& options, Ranks& ranks) {
  const at::NoGradGuard no_gradients;
  Index tokens = 0;
  for (const MiniBatch& minibatch : passes) {
    for (const Pass& pass : minibatch) tokens += pass.tokens();
  }
  const Vector none = Vector::Zero(tokens);
  OldPolicy old = {.log_probabilities = none,
                   .entropy = none,
                   .kl = none,
                   .values = std::vector<Vector>(heads.size(), none)};
  for (const MiniBatch& minibatch : passes) {
    for (std::size_t i = 0; i < minibatch.size(); ++i) {
      if (is_own_pass(ranks, i)) measure_pass(model, heads, minibatch[i], options, old);
    }
  }
  sum_measured(ranks, old);
  return old;
}

}  // namespace rgu::llm
