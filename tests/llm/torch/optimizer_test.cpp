#include "rgu/llm/torch/optimizer.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "rgu/base/check.hpp"

namespace rgu::llm {
namespace {

NamedTensor parameter(const std::string& name, double value, at::ScalarType type = at::kDouble) {
  return {name, at::full({1}, value, at::TensorOptions().dtype(type)).requires_grad_()};
}

void set_gradient(const NamedTensor& parameter, double value) {
  at::Tensor(parameter.tensor).mutable_grad() = at::full_like(parameter.tensor.detach(), value);
}

// p = 1, g = 0.5, rate 0.1: m / 0.1 = 0.5, v / 0.001 = 0.25, so p = 0.999 - 0.1. Then g = -1:
// m / 0.19 = -0.055 / 0.19, v / 0.001999 = 0.00124975 / 0.001999, p = 0.899 (1 - 0.001) + 0.1 *
// 0.2894737 / 0.7906886.
TEST(AdamW, MakesTheStepsOfTheFormula) {
  for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
    const NamedTensor p = parameter("layer.weight", 1, type);
    AdamW adamw({p}, {.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-12, .weight_decay = 0.01});
    set_gradient(p, 0.5);
    adamw.step({.rate = 0.1});
    EXPECT_NEAR(p.tensor.item<double>(), 0.899, 1e-6);
    set_gradient(p, -2);
    adamw.step({.rate = 0.1, .gradient_scale = 0.5});
    const double expected = 0.899 * 0.999 + 0.1 * (0.055 / 0.19) / std::sqrt(0.00124975 / 0.001999);
    EXPECT_NEAR(p.tensor.item<double>(), expected, 1e-6);
    EXPECT_EQ(adamw.steps(), 2);
  }
}

TEST(AdamW, LeavesBiasesAndNormsWithoutDecay) {
  EXPECT_TRUE(is_decayed("gpt_neox.layers.0.attention.dense.weight"));
  EXPECT_TRUE(is_decayed("gpt_neox.layers.0.attention.query_key_value.lora_A"));
  EXPECT_FALSE(is_decayed("gpt_neox.layers.0.attention.dense.bias"));
  EXPECT_FALSE(is_decayed("gpt_neox.layers.0.input_layernorm.weight"));
  EXPECT_FALSE(is_decayed("gpt_neox.final_layer_norm.weight"));
  EXPECT_FALSE(is_decayed("model.norm.weight"));
  const NamedTensor bias = parameter("dense.bias", 1);
  AdamW adamw({bias}, {.weight_decay = 0.5});
  set_gradient(bias, 0);
  adamw.step({.rate = 0.1});
  EXPECT_EQ(bias.tensor.item<double>(), 1);
}

TEST(AdamW, LeavesAParameterWithoutAGradient) {
  const NamedTensor p = parameter("weight", 2);
  AdamW adamw({p}, {});
  adamw.step({.rate = 1});
  EXPECT_EQ(p.tensor.item<double>(), 2);
}

TEST(AdamW, GoesOnFromItsStateAsIfNothingHadBeen) {
  const NamedTensor one = parameter("w", 1, at::kFloat), other = parameter("w", 1, at::kFloat);
  AdamW straight({one}, {}), first({other}, {}), second({other}, {});
  const auto step = [](AdamW& adamw, const NamedTensor& p, double g) {
    set_gradient(p, g);
    adamw.step({.rate = 0.01});
  };
  for (const double g : {0.3, -0.7, 0.2, 0.9}) step(straight, one, g);
  for (const double g : {0.3, -0.7}) step(first, other, g);
  second.restore(first.state());
  for (const double g : {0.2, 0.9}) step(second, other, g);
  EXPECT_EQ(one.tensor.item<float>(), other.tensor.item<float>());
  AdamW strange({parameter("another", 1, at::kFloat)}, {});
  EXPECT_THROW(strange.restore(first.state()), InvalidInput);
  AdamW wide({parameter("w", 1, at::kDouble)}, {});
  EXPECT_THROW(wide.restore(first.state()), InvalidInput);
}

TEST(GradientNorm, IsThatOfAllParametersTogetherAndIsClipped) {
  const NamedTensor a = parameter("a", 0), b = parameter("b", 0);
  const AdamW adamw({a, b}, {});
  EXPECT_EQ(adamw.gradient_norm(), 0);
  set_gradient(a, 3);
  set_gradient(b, -4);
  EXPECT_DOUBLE_EQ(adamw.gradient_norm(), 5);
  EXPECT_NEAR(clip_scale(5, 1), 0.2, 1e-6);
  EXPECT_EQ(clip_scale(5, 6), 1);
  EXPECT_EQ(clip_scale(5, 0), 1);
}

TEST(LearningRate, FollowsItsSchedule) {
  const auto rates = [](Schedule schedule) {
    std::vector<double> values;
    for (std::int64_t step = 0; step < 6; ++step) {
      values.push_back(
          learning_rate({.rate = 3, .schedule = schedule, .warmup = 2, .steps = 6}, step));
    }
    return values;
  };
  EXPECT_EQ(rates(Schedule::kConstant), (std::vector<double>{1, 2, 3, 3, 3, 3}));
  EXPECT_EQ(rates(Schedule::kLinear), (std::vector<double>{1, 2, 3, 2.25, 1.5, 0.75}));
  const std::vector<double> cosine = rates(Schedule::kCosine);
  EXPECT_DOUBLE_EQ(cosine[2], 3);
  EXPECT_NEAR(cosine[3], 1.5 * (1 + std::sqrt(0.5)), 1e-12);
  EXPECT_NEAR(cosine[4], 1.5, 1e-12);
  EXPECT_NEAR(cosine[5], 1.5 * (1 - std::sqrt(0.5)), 1e-12);
}

TEST(LearningRate, WarmsUpByShareOrBySteps) {
  EXPECT_EQ(rate_options({.warmup = 0.03}, 100).warmup, 3);
  EXPECT_EQ(rate_options({.warmup = 0.03}, 10).warmup, 1);
  EXPECT_EQ(rate_options({.warmup = 0.03, .warmup_steps = 7}, 100).warmup, 7);
  EXPECT_EQ(rate_options({.warmup = 0.03, .warmup_steps = 7}, 5).warmup, 5);
  EXPECT_EQ(rate_options({.warmup = 0}, 5).warmup, 0);
}

}  // namespace
}  // namespace rgu::llm
