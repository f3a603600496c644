#include "rgu/llm/torch/ppo_options.hpp"

#include <cmath>
#include <string_view>

#include "rgu/base/check.hpp"

namespace rgu::llm {
namespace {

// The streams of an update have room for so many epochs.
constexpr std::int64_t kMostEpochs = 1 << 20;

void check_share(std::string_view name, double value) {
  check(value >= 0 && value < 1, "{} = {}: must be at least 0 and less than 1", name, value);
}

void check_unit(std::string_view name, double value) {
  check(value >= 0 && value <= 1, "{} = {}: must be from 0 to 1", name, value);
}

void check_counts(const PpoOptions& options) {
  check_count("epochs", options.epochs);
  check(options.epochs <= kMostEpochs, "epochs = {}: must be at most {}", options.epochs,
        kMostEpochs);
  check_count("minibatch", options.minibatch);
  check_count("accumulation", options.accumulation);
  check(options.accumulation <= options.minibatch,
        "accumulation = {}: must be at most minibatch, which is {}", options.accumulation,
        options.minibatch);
  check_count("warmup_steps", options.warmup_steps, 0);
  check_count("critic_warmup_steps", options.critic_warmup_steps, 0);
}

void check_optimizer(const PpoOptions& options) {
  check_nonnegative("learning_rate", options.learning_rate);
  check_share("beta1", options.beta1);
  check_share("beta2", options.beta2);
  check_positive("epsilon", options.epsilon);
  check_nonnegative("weight_decay", options.weight_decay);
  check_nonnegative("gradient_clip", options.gradient_clip);
}

void check_losses(const PpoOptions& options) {
  check_positive("ratio_clip", options.ratio_clip);
  check_positive("value_clip", options.value_clip);
  check_nonnegative("value_weight", options.value_weight);
  check_unit("discount", options.discount);
  check_unit("trace", options.trace);
  check_share("value_dropout", options.value_dropout);
}

void check_divergence(const PpoOptions& options) {
  check_nonnegative("kl_coefficient", options.kl_coefficient);
  check_positive("kl_target", options.kl_target);
  check_positive("kl_horizon", options.kl_horizon);
  check_nonnegative("early_stop_kl", options.early_stop_kl);
  check(options.ratio_limit >= 1, "ratio_limit = {}: must be at least 1", options.ratio_limit);
}

}  // namespace

void check_options(const PpoOptions& options) {
  check_counts(options);
  check_optimizer(options);
  check_losses(options);
  check_divergence(options);
}

}  // namespace rgu::llm
