#include "rgu/llm/torch/transformer.hpp"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include "rgu/base/check.hpp"
#include "rgu/llm/torch/cpu_attention.hpp"

namespace rgu::llm {

// What all layers of one forward pass share. Inside, the B x T hidden states are B T rows of a
// matrix.
struct Transformer::Step {
  std::int64_t batch = 0;
  std::int64_t tokens = 0;
  Rotation rotation = {};
  at::Tensor bias = {};
  AdapterPass adapter = {};
  KeyValueCache* cache = nullptr;
  std::int64_t layer = 0;

  // (B T, heads * size) -> (B, heads, T, size)
  at::Tensor heads_of(const at::Tensor& x, std::int64_t heads) const {
    return x.view({batch, tokens, heads, -1}).transpose(1, 2);
  }
};

namespace {

void check_ids(const at::Tensor& ids, const ModelConfig& config) {
  check(ids.dim() == 2 && ids.scalar_type() == at::kLong && ids.numel() > 0,
        "token ids must be a (B, T) tensor of 64-bit integers, not empty");
  if (!ids.is_cpu()) return;
  const auto least = ids.min().item<std::int64_t>();
  const auto greatest = ids.max().item<std::int64_t>();
  check(least >= 0 && greatest < config.vocabulary,
        "token ids from {} to {}: must be 0 .. {} (vocabulary - 1)", least, greatest,
        config.vocabulary - 1);
}

at::Tensor activated(const at::Tensor& x, Activation activation) {
  switch (activation) {
    case Activation::kGelu:
      return at::gelu(x);
    case Activation::kGeluTanh:
      return at::gelu(x, "tanh");
    case Activation::kSilu:
      return at::silu(x);
  }
  throw InvalidInput("an unknown activation");
}

}  // namespace

AdapterPass Transformer::adapter_pass(std::optional<std::uint64_t> dropout_seed) const {
  if (!adapter_) return {};
  AdapterPass pass = {.on = adapter_->on,
                      .scaling = adapter_->config.scaling(),
                      .dropout = adapter_->config.dropout,
                      .generator = {}};
  if (dropout_seed && !adapter_->merged) {
    pass.generator = at::detail::createCPUGenerator(*dropout_seed);
  }
  return pass;
}

// Positions (B or 1, T) of the last T tokens; `mask` is that of all, or undefined.
at::Tensor Transformer::positions_of(const at::Tensor& mask, std::int64_t tokens) const {
  const auto integers = at::TensorOptions().dtype(at::kLong).device(device());
  const at::Tensor positions =
      mask.defined() ? mask.cumsum(1).sub_(1).clamp_min_(0).narrow(1, mask.size(1) - tokens, tokens)
                     : at::arange(tokens, integers).unsqueeze(0);
  const std::int64_t most = mask.defined() ? positions.max().item<std::int64_t>() + 1 : tokens;
  check(most <= config_.max_positions, "a sequence of {} tokens: the model has {} positions", most,
        config_.max_positions);
  return positions;
}

Transformer::Step Transformer::step_of(const at::Tensor& ids, const ForwardOptions& options) const {
  Step step = {.batch = ids.size(0),
               .tokens = ids.size(1),
               .rotation = {},
               .bias = {},
               .adapter = adapter_pass(options.dropout_seed),
               .cache = options.cache,
               .layer = 0};
  at::Tensor mask;  // of all positions, (B, S)
  if (options.mask.defined()) {
    check(options.mask.sizes() == ids.sizes(), "a mask of another shape than its token ids");
    mask = options.mask.to(device(), at::kLong);
  }
  if (step.cache != nullptr) {
    const auto integers = at::TensorOptions().dtype(at::kLong).device(device());
    mask = step.cache->append_mask(mask.defined() ? mask : at::ones(ids.sizes(), integers));
  }
  const std::int64_t positions = mask.defined() ? mask.size(1) : step.tokens;
  step.rotation = rotation_at(rotation_, positions_of(mask, step.tokens));
  step.bias = causal_bias({.queries = step.tokens, .positions = positions}, mask,
                          embedding_.options().requires_grad(false));
  return step;
}

at::Tensor Transformer::normed(const at::Tensor& x, const Norm& norm) const {
  if (config_.architecture == Architecture::kGptNeoX) {
    return at::layer_norm(x, {config_.hidden}, norm.weight, norm.bias, config_.norm_epsilon);
  }
  // x / sqrt(mean x^2 + epsilon), at least in float32; the weight after the cast back.
  const at::Tensor wide = x.to(at::promote_types(x.scalar_type(), at::kFloat));
  const at::Tensor scale = at::rsqrt(wide.square().mean(-1, true) + config_.norm_epsilon);
  return (wide * scale).to(x.scalar_type()) * norm.weight;
}

HeadStates Transformer::head_states(const std::vector<at::Tensor>& projections,
                                    const Step& step) const {
  if (config_.architecture == Architecture::kLlama) {
    return {.queries = rotated(step.heads_of(projections[0], config_.heads), step.rotation),
            .keys = rotated(step.heads_of(projections[1], config_.key_value_heads), step.rotation),
            .values = step.heads_of(projections[2], config_.key_value_heads)};
  }
  // For each head its query, then its key, then its value.
  const std::vector<at::Tensor> parts = step.heads_of(projections[0], config_.heads).chunk(3, -1);
  return {.queries = rotated(parts[0], step.rotation),
          .keys = rotated(parts[1], step.rotation),
          .values = parts[2]};
}

at::Tensor Transformer::context(const std::vector<at::Tensor>& projections,
                                const Step& step) const {
  if (step.cache == nullptr && fits_cpu_attention(projections)) {
    return attended_projections(projections,
                                {.batch = step.batch,
                                 .tokens = step.tokens,
                                 .heads = config_.heads,
                                 .key_value_heads = config_.key_value_heads,
                                 .head_size = config_.head_size()},
                                step.rotation, step.bias);
  }
  HeadStates states = head_states(projections, step);
  if (step.cache != nullptr) {
    const KeyValueCache::Layer all =
        step.cache->append(step.layer, {.keys = states.keys, .values = states.values});
    states.keys = all.keys;
    states.values = all.values;
  }
  return attended(states, step.bias).view({-1, config_.hidden});
}

at::Tensor Transformer::attention(const Layer& layer, const at::Tensor& x, Step& step) const {
  std::vector<at::Tensor> projections;
  for (const Linear& input : layer.inputs) projections.push_back(apply(input, x, step.adapter));
  return apply(layer.output, context(projections, step), step.adapter);
}

at::Tensor Transformer::mlp(const Layer& layer, const at::Tensor& x, Step& step) const {
  const at::Tensor first = activated(apply(layer.mlp[0], x, step.adapter), config_.activation);
  if (config_.architecture == Architecture::kGptNeoX) {
    return apply(layer.mlp[1], first, step.adapter);
  }
  const at::Tensor gated = first * apply(layer.mlp[1], x, step.adapter);
  return apply(layer.mlp[2], gated, step.adapter);
}

at::Tensor Transformer::layer_output(const Layer& layer, const at::Tensor& x, Step& step) const {
  const bool parallel = config_.architecture == Architecture::kGptNeoX && config_.parallel_residual;
  // attention and mlp give tensors of their own, which nobody else reads: added up in place.
  const at::Tensor middle = attention(layer, normed(x, layer.attention_norm), step).add_(x);
  const at::Tensor& seen = parallel ? x : middle;
  return mlp(layer, normed(seen, layer.mlp_norm), step).add_(middle);
}

at::Tensor Transformer::forward(const at::Tensor& ids, const ForwardOptions& options) const {
  check_ids(ids, config_);
  check(options.cache == nullptr || !at::GradMode::is_enabled(),
        "a forward pass with a cache has no gradients: switch them off around it");
  Step step = step_of(ids, options);
  at::Tensor x = at::embedding(embedding_, ids.to(device()).reshape({-1}));
  for (const Layer& layer : layers_) {
    x = layer_output(layer, x, step);
    ++step.layer;
  }
  return normed(x, final_norm_).view({step.batch, step.tokens, config_.hidden});
}

at::Tensor Transformer::logits(const at::Tensor& hidden) const {
  check(options_.head == Head::kLanguage, "a score model has no logits");
  AdapterPass pass = adapter_pass({});
  return apply(head_, hidden, pass);
}

const at::Tensor& Transformer::output_weight() const {
  check(options_.head == Head::kLanguage, "a score model has no output head");
  const bool replaced = head_.replacement && adapter_ && adapter_->on;
  return replaced ? head_.replacement->weight : head_.weight;
}

at::Tensor Transformer::score(const at::Tensor& hidden) const {
  check(options_.head == Head::kScore, "a language model has no score head");
  AdapterPass pass = adapter_pass({});
  const at::Tensor raw = apply(head_, hidden, pass);
  const at::Tensor scores = raw.to(at::promote_types(raw.scalar_type(), at::kFloat));
  return score_deviation_.defined() ? (scores - score_mean_) / score_deviation_ : scores;
}

at::Tensor end_scores(const at::Tensor& scores, const at::Tensor& mask) {
  check(scores.dim() == 3 && mask.dim() == 2 && scores.size(0) == mask.size(0) &&
            scores.size(1) == mask.size(1),
        "scores must be (B, T, dimension), and their mask (B, T)");
  const at::Tensor seen = mask.to(scores.device()).ne(0);
  check(seen.any(1).all().item<bool>(), "a sequence without a token has no score");
  const at::Tensor positions =
      at::arange(1, mask.size(1) + 1, scores.options().dtype(at::kLong).requires_grad(false));
  const at::Tensor end = (seen * positions).argmax(1);
  return scores.gather(1, end.view({-1, 1, 1}).expand({-1, 1, scores.size(2)})).squeeze(1);
}

}  // namespace rgu::llm
