// What proximal policy optimisation is told, as plain data.
#pragma once

#include <cstdint>

namespace rgu::llm {

// The estimate of KL(policy || reference) at one token, with x = log p(token) - log q(token).
enum class KlEstimator {
  kK1,        // x: unbiased, of either sign
  kAbsolute,  // |x|
  kSquared,   // x^2 / 2
  kK3,        // exp(-x) - 1 + x: unbiased, never negative
  kFull,      // sum over the vocabulary: exact
};

enum class Critics {
  kOne,       // one value head learns the value of the mixed score
  kSeparate,  // one for each score; their advantages are mixed [safe-rlhf]
};

// How the loss of a mini-batch is averaged.
enum class Averaging {
  kTokens,     // over all its tokens (TRL)
  kSequences,  // over the tokens of each sequence, then over sequences [safe-rlhf]
};

enum class KlControl { kAdaptive, kFixed };

// The defaults are TRL's of the paper's time, and the paper's table where it says something.
struct PpoOptions {
  Critics critics = Critics::kOne;
  std::int64_t epochs = 4;
  std::int64_t minibatch = 16;    // sequences of one optimizer step
  std::int64_t accumulation = 1;  // passes a mini-batch is read in, to save memory
  double learning_rate = 1e-5;
  std::int64_t warmup_steps = 0;         // updates in which the learning rate rises
  std::int64_t critic_warmup_steps = 0;  // first updates that train the value heads only
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;
  double gradient_clip = 1;  // largest norm of the gradient; 0: any
  double ratio_clip = 0.2;
  double value_clip = 0.2;
  double value_weight = 0.1;
  double discount = 1;
  double trace = 0.95;  // lambda of GAE
  bool whiten = true;   // advantages, over all tokens of the update
  Averaging averaging = Averaging::kTokens;
  KlEstimator kl_estimator = KlEstimator::kK1;
  KlControl kl_control = KlControl::kAdaptive;
  double kl_coefficient = 0.2;   // the first one of the adaptive controller
  double kl_target = 6;          // of the adaptive controller, nats a sequence
  double kl_horizon = 10000;     // ... and its horizon, sequences
  double early_stop_kl = 0.1;    // no further epoch once the policy moved by 1.5 times this; 0: off
  double ratio_limit = 10;       // mini-batches with a mean ratio above are skipped
  double value_dropout = 0;      // of the value heads' input, in updates
  bool adapter_dropout = false;  // LoRA dropout in updates; off in TRL, where the ratio begins at 1
};

// Throws InvalidInput naming the first option outside its range, its value and the rule.
void check_options(const PpoOptions& options);

}  // namespace rgu::llm
