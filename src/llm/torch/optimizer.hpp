// AdamW [Loshchilov2019], learning rates over time and the norm of gradients.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "rgu/llm/files/tensor.hpp"
#include "rgu/llm/torch/linear.hpp"
#include "rgu/llm/torch/training_options.hpp"

namespace rgu::llm {

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.01;
};

// Biases and the weights of norms are not decayed: names with "bias", "layernorm", "layer_norm" or
// "norm.weight".
bool is_decayed(std::string_view name);

// With g the gradient and k the number of the step, for every parameter p:
//   m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g^2,
//   p = p - rate decay p - rate (m / (1 - beta1^k)) / (sqrt(v / (1 - beta2^k)) + epsilon).
// A parameter without a gradient is left as it is.
class AdamW {
 public:
  AdamW(std::vector<NamedTensor> parameters, const AdamWOptions& options);

  // `gradient_scale` multiplies every gradient first (clipping).
  struct Step {
    double rate = 0;
    double gradient_scale = 1;
  };
  void step(const Step& step);
  void clear_gradients();

  // sqrt(sum g^2) over all parameters, in float64.
  double gradient_norm() const;
  std::int64_t steps() const { return steps_; }
  const std::vector<NamedTensor>& parameters() const { return parameters_; }

  // NAME.exp_avg and NAME.exp_avg_sq, and "step": a copy. restore() throws InvalidInput where a
  // tensor is missing or of another shape or type.
  Weights state() const;
  void restore(const Weights& state);

 private:
  struct Moments {
    at::Tensor first;
    at::Tensor second;
  };

  AdamWOptions options_;
  std::vector<NamedTensor> parameters_;
  std::vector<Moments> moments_;
  std::int64_t steps_ = 0;
};

// What gradients are multiplied by so that their norm is at most `clip` (0: 1), as in PyTorch:
// min(1, clip / (norm + 1e-6)).
double clip_scale(double norm, double clip);

// The learning rate of step 0, 1, ..., steps - 1. In the warm-up, w steps, it is rate (step + 1) /
// (w + 1), so that the first step is not lost; after it, with x = (step - w) / (steps - w), rate
// times 1 (constant), 1 - x (linear) or (1 + cos(pi x)) / 2 (cosine).
struct RateOptions {
  double rate = 1e-5;
  Schedule schedule = Schedule::kCosine;
  std::int64_t warmup = 0;
  std::int64_t steps = 1;
};
double learning_rate(const RateOptions& options, std::int64_t step);
// The warm-up of a run: warmup_steps, or its share of the steps rounded up; at most steps.
RateOptions rate_options(const TrainingOptions& options, std::int64_t steps);

}  // namespace rgu::llm
