// The arithmetic of proximal policy optimisation [Schulman2017] on answers of different lengths.
//
// All answers lie in one row, one after the other: entry i of a vector belongs to one answer token;
// its log-probability is that of the token, its value that of the state the token was chosen in.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "rgu/base/types.hpp"
#include "rgu/llm/torch/ppo_options.hpp"

namespace rgu::llm {

// Answer b is the entries offsets[b] .. offsets[b + 1] - 1; none is empty.
struct AnswerSpans {
  std::vector<std::int64_t> offsets = {0};

  std::int64_t answers() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::int64_t tokens() const { return offsets.back(); }
};

// Of log p and log q at the tokens; any estimator but kFull, which needs whole distributions.
Vector token_kl(KlEstimator estimator, const Vector& policy, const Vector& reference);

// -coefficient kl, with an answer's score added at its last token. (For a cost: coefficient < 0.)
struct ShapedRewards {
  double coefficient = 0;
  const Vector& kl;      // (tokens)
  const Vector& scores;  // (answers)
};
Vector shaped_rewards(const AnswerSpans& spans, const ShapedRewards& of);

// delta_t = r_t + discount V_{t+1} - V_t, A_t = delta_t + discount trace A_{t+1}, with V = A = 0
// after the last token; returns = A + V [Schulman2016].
struct Advantages {
  Vector advantages = {};
  Vector returns = {};
};
struct TraceOptions {
  double discount = 1;
  double trace = 0.95;
};
Advantages advantages(const AnswerSpans& spans, const Vector& rewards, const Vector& values,
                      const TraceOptions& options);

// (x - mean) / sqrt(variance + 1e-8), with the variance's divisor n - 1; of one entry: 0.
Vector whitened(const Vector& values);

// sum_j mixing_j A_j.
Vector mixed(std::span<const Vector> advantages, const Vector& mixing);

// (tokens): what a weighted sum over tokens must be multiplied by to be the chosen mean.
at::Tensor averaging_weights(const AnswerSpans& spans, Averaging averaging);

// sum_i w_i max(-A_i ratio_i, -A_i clip(ratio_i, 1 - clip, 1 + clip)), ratio = exp(new - old).
struct PolicyLoss {
  at::Tensor loss;           // differentiable in the new log-probabilities
  double clip_fraction = 0;  // of tokens where the clipped term is the larger
  double mean_ratio = 1;
  double approximate_kl = 0;  // mean of (new - old)^2 / 2
  double policy_kl = 0;       // mean of old - new
};
struct PolicyTerms {
  at::Tensor fresh;       // (tokens): new log-probabilities
  at::Tensor old;         // (tokens)
  at::Tensor advantages;  // (tokens)
  at::Tensor weights;     // (tokens)
};
PolicyLoss policy_loss(const PolicyTerms& terms, double clip);

// 1/2 sum_i w_i max((v - R)^2, (clip(v, v_old - clip, v_old + clip) - R)^2).
struct ValueLoss {
  at::Tensor loss;
  double clip_fraction = 0;
};
struct ValueTerms {
  at::Tensor fresh;
  at::Tensor old;
  at::Tensor returns;
  at::Tensor weights;
};
ValueLoss value_loss(const ValueTerms& terms, double clip);

// The adaptive coefficient [Ziegler2019]: c <- c (1 + clip(KL / target - 1, -0.2, 0.2) n /
// horizon).
struct KlStep {
  double kl = 0;  // of the sequences, in the mean
  std::int64_t sequences = 0;
};
double controlled(double coefficient, const KlStep& step, const PpoOptions& options);

}  // namespace rgu::llm
