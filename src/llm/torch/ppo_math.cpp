#include "rgu/llm/torch/ppo_math.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "rgu/base/check.hpp"

namespace rgu::llm {
namespace {

constexpr double kWhiteningFloor = 1e-8;  // added to the variance
constexpr double kLargestKlError = 0.2;   // that the controller answers to

double mean_of(const at::Tensor& values) { return values.to(at::kDouble).mean().item<double>(); }

}  // namespace

Vector token_kl(KlEstimator estimator, const Vector& policy, const Vector& reference) {
  const Vector x = policy - reference;
  switch (estimator) {
    case KlEstimator::kK1:
      return x;
    case KlEstimator::kAbsolute:
      return x.cwiseAbs();
    case KlEstimator::kSquared:
      return x.cwiseAbs2() / 2;
    case KlEstimator::kK3:
      // expm1 keeps what is left of two numbers near 1.
      return x.unaryExpr([](double log_ratio) { return std::expm1(-log_ratio) + log_ratio; });
    case KlEstimator::kFull:
      break;
  }
  throw InvalidInput("the full KL needs whole distributions, not the tokens' log-probabilities");
}

Vector shaped_rewards(const AnswerSpans& spans, const ShapedRewards& of) {
  Vector rewards = -of.coefficient * of.kl;
  for (std::int64_t b = 0; b < spans.answers(); ++b) {
    rewards[spans.offsets[static_cast<std::size_t>(b) + 1] - 1] += of.scores[b];
  }
  return rewards;
}

Advantages advantages(const AnswerSpans& spans, const Vector& rewards, const Vector& values,
                      const TraceOptions& options) {
  Advantages found = {.advantages = Vector(rewards.size()), .returns = {}};
  for (std::size_t b = 1; b < spans.offsets.size(); ++b) {
    double next_value = 0, next_advantage = 0;
    for (std::int64_t t = spans.offsets[b] - 1; t >= spans.offsets[b - 1]; --t) {
      const double delta = rewards[t] + options.discount * next_value - values[t];
      next_advantage = delta + options.discount * options.trace * next_advantage;
      next_value = values[t];
      found.advantages[t] = next_advantage;
    }
  }
  found.returns = found.advantages + values;
  return found;
}

Vector whitened(const Vector& values) {
  const auto n = static_cast<double>(values.size());
  if (values.size() < 2) return Vector::Zero(values.size());
  const Vector centred = values.array() - values.mean();
  const double variance = centred.squaredNorm() / (n - 1);
  return centred / std::sqrt(variance + kWhiteningFloor);
}

Vector mixed(std::span<const Vector> advantages, const Vector& mixing) {
  check_size("mixing", mixing.size(), static_cast<Index>(advantages.size()));
  Vector sum = Vector::Zero(advantages.empty() ? 0 : advantages.front().size());
  for (Index j = 0; j < mixing.size(); ++j) {
    sum += mixing[j] * advantages[static_cast<std::size_t>(j)];
  }
  return sum;
}

at::Tensor averaging_weights(const AnswerSpans& spans, Averaging averaging) {
  at::Tensor weights = at::full({spans.tokens()}, 1 / static_cast<double>(spans.tokens()),
                                at::TensorOptions().dtype(at::kDouble));
  if (averaging == Averaging::kTokens) return weights;
  for (std::size_t b = 1; b < spans.offsets.size(); ++b) {
    const std::int64_t length = spans.offsets[b] - spans.offsets[b - 1];
    weights.narrow(0, spans.offsets[b - 1], length)
        .fill_(1 / static_cast<double>(length * spans.answers()));
  }
  return weights;
}

PolicyLoss policy_loss(const PolicyTerms& terms, double clip) {
  const at::Tensor change = terms.fresh - terms.old;
  const at::Tensor ratio = change.exp();
  const at::Tensor plain = -terms.advantages * ratio;
  const at::Tensor clipped = -terms.advantages * ratio.clamp(1 - clip, 1 + clip);
  const at::Tensor known = change.detach();
  return {.loss = (terms.weights * at::maximum(plain, clipped)).sum(),
          .clip_fraction = mean_of(clipped.detach() > plain.detach()),
          .mean_ratio = mean_of(ratio.detach()),
          .approximate_kl = mean_of(known.square()) / 2,
          .policy_kl = mean_of(-known)};
}

ValueLoss value_loss(const ValueTerms& terms, double clip) {
  const at::Tensor near = at::clamp(terms.fresh, terms.old - clip, terms.old + clip);
  const at::Tensor plain = (terms.fresh - terms.returns).square();
  const at::Tensor clipped = (near - terms.returns).square();
  return {.loss = (terms.weights * at::maximum(plain, clipped)).sum() / 2,
          .clip_fraction = mean_of(clipped.detach() > plain.detach())};
}

double controlled(double coefficient, const KlStep& step, const PpoOptions& options) {
  if (options.kl_control == KlControl::kFixed) return coefficient;
  const double error =
      std::clamp(step.kl / options.kl_target - 1, -kLargestKlError, kLargestKlError);
  return coefficient * (1 + error * static_cast<double>(step.sequences) / options.kl_horizon);
}

}  // namespace rgu::llm
