#include "rgu/llm/torch/token_sampler.hpp"

#include <ATen/ATen.h>

namespace rgu::llm {
namespace {

// Probabilities with those that top_k and top_p leave out set to 0.
at::Tensor kept(const at::Tensor& probabilities, const SamplingOptions& options) {
  const std::int64_t vocabulary = probabilities.size(1);
  const bool few = options.top_k > 0 && options.top_k < vocabulary;
  if (!few && options.top_p >= 1) return probabilities;
  // Most probable first, of equals the one with the lower id.
  const auto [sorted, index] = at::sort(probabilities, true, 1, true);
  at::Tensor chosen = sorted;
  if (few) chosen.narrow(1, options.top_k, vocabulary - options.top_k).zero_();
  if (options.top_p < 1) {
    // Kept while those before do not reach p of what is left.
    const at::Tensor total = chosen.sum(1, true);
    const at::Tensor before = chosen.cumsum(1) - chosen;
    chosen = chosen.masked_fill(before >= total * options.top_p, 0);
  }
  return at::zeros_like(probabilities).scatter_(1, index, chosen);
}

}  // namespace

double uniform_of(const RandomBlock& block) {
  return static_cast<double>(block[0] >> 11) * 0x1.0p-53;
}

SampledTokens sampled_tokens(const at::Tensor& logits, std::span<const double> uniforms,
                             const SamplingOptions& options) {
  const bool greedy = options.temperature == 0;
  at::Tensor scores = logits.to(at::promote_types(logits.scalar_type(), at::kFloat));
  if (!greedy && options.temperature != 1) scores = scores / options.temperature;
  const at::Tensor log_probabilities = at::log_softmax(scores, 1);
  at::Tensor tokens;
  if (greedy) {
    tokens = scores.argmax(1, true);
  } else {
    const at::Tensor sums = kept(log_probabilities.to(at::kDouble).exp_(), options).cumsum(1);
    const at::Tensor uniform = at::tensor(at::ArrayRef<double>(uniforms.data(), uniforms.size()),
                                          at::TensorOptions().dtype(at::kDouble))
                                   .to(sums.device())
                                   .unsqueeze(1);
    const at::Tensor target = uniform * sums.narrow(1, sums.size(1) - 1, 1);
    tokens = at::searchsorted(sums, target, false, true).clamp_max_(sums.size(1) - 1);
  }
  const at::Tensor ids = tokens.squeeze(1).to(at::kCPU, at::kInt).contiguous();
  const at::Tensor logs =
      log_probabilities.gather(1, tokens).squeeze(1).to(at::kCPU, at::kFloat).contiguous();
  const TokenId* id = ids.data_ptr<TokenId>();
  const float* log = logs.data_ptr<float>();
  return {.tokens = {id, id + ids.numel()}, .log_probabilities = {log, log + logs.numel()}};
}

}  // namespace rgu::llm
