#include "rgu/llm/torch/token_log_probabilities.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <limits>

#include "rgu/base/check.hpp"

namespace rgu::llm {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Wanted {
  bool gradient = false;
  bool entropy = false;
};

// Of the rows of `hidden`, over the vocabulary seen so far: the largest logit m, s = sum exp(l -
// m), e = sum exp(l - m) (l - m) and a = sum exp(l - m) weight_v.
struct RunningSums {
  at::Tensor maximum;   // (R)
  at::Tensor sum;       // (R)
  at::Tensor weighted;  // (R): e
  at::Tensor average;   // (R, H): a
};

at::ScalarType wide_type(const at::Tensor& x) {
  return at::promote_types(x.scalar_type(), at::kFloat);
}

// The products x y as float32 or float64. Written into `memory`, where the types allow it.
at::Tensor logits_of(const at::Tensor& hidden, const at::Tensor& weight, double temperature,
                     const at::Tensor& memory) {
  at::Tensor logits =
      memory.narrow(0, 0, hidden.size(0) * weight.size(0)).view({hidden.size(0), weight.size(0)});
  if (hidden.scalar_type() == logits.scalar_type()) {
    return at::addmm_out(logits, logits, hidden, weight.t(), 0, 1 / temperature);
  }
  return logits.copy_(at::mm(hidden, weight.t())).div_(temperature);
}

void add_block(RunningSums& sums, at::Tensor logits, const at::Tensor& weight, Wanted wanted) {
  const at::Tensor maximum = at::maximum(sums.maximum, logits.amax(1));
  const at::Tensor change = (sums.maximum - maximum).exp_();
  logits.sub_(maximum.unsqueeze(1));
  if (wanted.entropy) {
    // 0 before the first block: there the change of the maximum is infinite, and s is 0.
    const at::Tensor moved = sums.sum.eq(0).logical_not() * (sums.maximum - maximum).nan_to_num();
    const at::Tensor exponentials = logits.exp();
    sums.weighted = (sums.weighted + sums.sum * moved) * change + exponentials.mul(logits).sum(1);
    logits = exponentials;
  } else {
    logits.exp_();
  }
  sums.maximum = maximum;
  sums.sum = (sums.sum * change).add_(logits.sum(1));
  if (wanted.gradient) {
    sums.average.mul_(change.unsqueeze(1));
    sums.average.addmm_(logits.to(weight.scalar_type()).to(sums.average.scalar_type()),
                        weight.to(sums.average.scalar_type()));
  }
}

// Sums over the whole vocabulary, `step` tokens at a time.
RunningSums sums_over_tokens(const at::Tensor& hidden, const at::Tensor& weight,
                             const LogProbabilityOptions& options, Wanted wanted,
                             const at::Tensor& memory) {
  const auto numbers = memory.options();
  const std::int64_t rows = hidden.size(0);
  RunningSums sums = {
      .maximum = at::full({rows}, -std::numeric_limits<double>::infinity(), numbers),
      .sum = at::zeros({rows}, numbers),
      .weighted = at::zeros({rows}, numbers),
      .average = at::Tensor()};
  if (wanted.gradient) sums.average = at::zeros(hidden.sizes(), numbers);
  for (std::int64_t begin = 0; begin < weight.size(0); begin += options.tokens) {
    const at::Tensor block =
        weight.narrow(0, begin, std::min(options.tokens, weight.size(0) - begin));
    add_block(sums, logits_of(hidden, block, options.temperature, memory), block, wanted);
  }
  return sums;
}

at::Tensor block_memory(const at::Tensor& hidden, const at::Tensor& weight,
                        const LogProbabilityOptions& options) {
  return at::empty(
      {std::min(options.rows, hidden.size(0)) * std::min(options.tokens, weight.size(0))},
      hidden.options().dtype(wide_type(hidden)).requires_grad(false));
}

struct Answer {
  at::Tensor values;      // (N)
  at::Tensor normaliser;  // (N): log sum exp
  at::Tensor entropy;     // (N) or undefined
  at::Tensor gradient;    // (N, H) or undefined: of each value with respect to its hidden state
};

Answer answer_of(const at::Tensor& hidden, const at::Tensor& targets, const at::Tensor& weight,
                 const LogProbabilityOptions& options, Wanted wanted) {
  const at::Tensor memory = block_memory(hidden, weight, options);
  const std::int64_t all = hidden.size(0);
  Answer answer = {.values = at::empty({all}, memory.options()),
                   .normaliser = at::empty({all}, memory.options()),
                   .entropy = {},
                   .gradient = {}};
  if (wanted.entropy) answer.entropy = at::empty({all}, memory.options());
  if (wanted.gradient) answer.gradient = at::empty(hidden.sizes(), memory.options());
  for (std::int64_t begin = 0; begin < all; begin += options.rows) {
    const std::int64_t count = std::min(options.rows, all - begin);
    const auto part = [&](const at::Tensor& x) { return x.narrow(0, begin, count); };
    const RunningSums sums = sums_over_tokens(part(hidden), weight, options, wanted, memory);
    const at::Tensor target =
        weight.index_select(0, part(targets)).to(memory.scalar_type());  // (R, H)
    const at::Tensor logarithm = sums.sum.log();
    part(answer.normaliser).copy_(sums.maximum + logarithm);
    const at::Tensor logit = part(hidden).to(memory.scalar_type()).mul(target).sum(1);
    // Above 0 only by rounding. (A NaN stays one.)
    part(answer.values)
        .copy_((logit / options.temperature).sub_(part(answer.normaliser)).clamp_max_(0));
    if (wanted.entropy) part(answer.entropy).copy_(logarithm - sums.weighted / sums.sum);
    if (wanted.gradient) {
      at::Tensor gradient = part(answer.gradient);
      at::sub_out(gradient, target, sums.average.div_(sums.sum.unsqueeze(1)));
      if (options.temperature != 1) gradient.div_(options.temperature);
    }
  }
  return answer;
}

// sum_i g_i (1[v = target_i] - p_iv) hidden_i / temperature for every token v.
at::Tensor weight_gradient(const at::Tensor& hidden, const at::Tensor& targets,
                           const at::Tensor& weight, const at::Tensor& normaliser,
                           const at::Tensor& g, const LogProbabilityOptions& options) {
  const at::Tensor memory = block_memory(hidden, weight, options);
  const at::Tensor scaled =
      hidden.to(memory.scalar_type()).mul((g / options.temperature).unsqueeze(1));
  at::Tensor gradient = at::zeros(weight.sizes(), memory.options());
  for (std::int64_t row = 0; row < hidden.size(0); row += options.rows) {
    const std::int64_t count = std::min(options.rows, hidden.size(0) - row);
    for (std::int64_t begin = 0; begin < weight.size(0); begin += options.tokens) {
      const std::int64_t width = std::min(options.tokens, weight.size(0) - begin);
      const at::Tensor p = logits_of(hidden.narrow(0, row, count), weight.narrow(0, begin, width),
                                     options.temperature, memory)
                               .sub_(normaliser.narrow(0, row, count).unsqueeze(1))
                               .exp_();
      gradient.narrow(0, begin, width).addmm_(p.t(), scaled.narrow(0, row, count), 1, -1);
    }
  }
  return gradient.index_add_(0, targets, scaled).to(weight.scalar_type());
}

struct LogProbabilityFunction : torch::autograd::Function<LogProbabilityFunction> {
  static variable_list forward(AutogradContext* context, const at::Tensor& hidden,
                               const at::Tensor& weight, const at::Tensor& targets,
                               const LogProbabilityOptions& options, bool gradient) {
    const Answer answer = answer_of(hidden, targets, weight, options,
                                    {.gradient = gradient, .entropy = options.entropy});
    const bool trained = weight.requires_grad();
    context->saved_data["temperature"] = options.temperature;
    context->saved_data["rows"] = options.rows;
    context->saved_data["tokens"] = options.tokens;
    context->saved_data["trained"] = trained;
    if (trained) {
      context->save_for_backward({answer.gradient, hidden, weight, targets, answer.normaliser});
    } else {
      context->save_for_backward({answer.gradient});
    }
    if (!options.entropy) return {answer.values};
    context->mark_non_differentiable({answer.entropy});
    return {answer.values, answer.entropy};
  }

  static variable_list backward(AutogradContext* context, const variable_list& outputs) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& g = outputs[0];
    variable_list gradients(5);
    if (saved[0].defined()) gradients[0] = saved[0] * g.unsqueeze(1);
    if (context->saved_data["trained"].toBool()) {
      const LogProbabilityOptions options = {
          .temperature = context->saved_data["temperature"].toDouble(),
          .rows = context->saved_data["rows"].toInt(),
          .tokens = context->saved_data["tokens"].toInt()};
      gradients[1] = weight_gradient(saved[1], saved[3], saved[2], saved[4], g, options);
    }
    return gradients;
  }
};

}  // namespace

TokenLogProbabilities token_log_probabilities(const at::Tensor& hidden, const at::Tensor& targets,
                                              const at::Tensor& weight,
                                              const LogProbabilityOptions& options) {
  check(hidden.dim() == 2 && weight.dim() == 2 && hidden.size(1) == weight.size(1) &&
            targets.dim() == 1 && targets.size(0) == hidden.size(0),
        "log-probabilities need hidden states (N, H), targets (N) and a weight (V, H)");
  check(options.temperature > 0, "temperature = {}: must be above 0", options.temperature);
  check(options.rows >= 1 && options.tokens >= 1,
        "log-probabilities in parts of {} x {}: at least 1", options.rows, options.tokens);
  const bool gradient = at::GradMode::is_enabled() && hidden.requires_grad();
  const variable_list outputs =
      LogProbabilityFunction::apply(hidden, weight, targets, options, gradient);
  return {.values = outputs[0], .entropy = options.entropy ? outputs[1] : at::Tensor()};
}

}  // namespace rgu::llm
