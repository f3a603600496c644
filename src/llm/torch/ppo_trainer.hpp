// Proximal policy optimisation of a language model with a low-rank adapter: one update from answers
// and their scores.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rgu/base/ranks.hpp"
#include "rgu/base/rng.hpp"
#include "rgu/base/types.hpp"
#include "rgu/llm/files/tensor.hpp"
#include "rgu/llm/torch/optimizer.hpp"
#include "rgu/llm/torch/ppo_lesson.hpp"
#include "rgu/llm/torch/ppo_options.hpp"
#include "rgu/llm/torch/ppo_passes.hpp"
#include "rgu/llm/torch/transformer.hpp"
#include "rgu/llm/torch/value_head.hpp"

namespace rgu::llm {

// What one update did. Means are over answer tokens unless something else is said.
struct PpoReport {
  bool finite = true;  // false: a loss or gradient was not, and all is as it was before the update
  double kl = 0;       // sum over the tokens of an answer, mean over answers
  double kl_coefficient = 0;    // that was used
  double entropy = 0;           // of the old policy
  double non_score_reward = 0;  // mean of -coefficient kl over tokens
  double policy_loss = 0;  // from here to gradient_norm: means over the mini-batches that were used
  double value_loss = 0;   // sum over the value heads
  double total_loss = 0;   // what was made small: without the policy's in a critic warm-up
  double clip_fraction = 0;
  double value_clip_fraction = 0;
  double approximate_kl = 0;
  double mean_ratio = 1;
  double gradient_norm = 0;   // before clipping
  double policy_kl = 0;       // of the last mini-batch: what early stopping looks at
  double advantage_mean = 0;  // mixed, before whitening
  double advantage_deviation = 0;
  double return_mean = 0;  // of the mixed score with one critic, else of the first
  double return_variance = 0;
  double value_mean = 0;          // of the old values
  double explained_variance = 0;  // 1 - var(return - old value) / var(return); 0 if none varies
  double learning_rate = 0;
  std::int64_t epochs = 0;       // begun
  std::int64_t minibatches = 0;  // used: steps that were made
  std::int64_t skipped = 0;      // by the ratio limit
  std::int64_t answer_tokens = 0;
};

// Everything random in update k is a function of (seed, k). An update
//   measures the old policy, its values and the KL to the reference,
//   makes advantages of the scores,
//   reads all answers `epochs` times, in mini-batches drawn anew each time, with a step of AdamW
//     after each, on the policy's loss + value_weight times those of the value heads,
//   and moves the KL coefficient.
// The adapter and the value heads have an AdamW each, with one learning rate and one norm that is
// clipped: a critic warm-up then leaves no trace in the adapter's moments. Differs from TRL, where
// a mini-batch beyond the ratio limit still makes a step, with a gradient of 0.
//
// On several ranks all have the same model, options and seed, and get the same batches. A
// mini-batch is read in `accumulation` passes a rank, and gradients are added up: but for rounding
// and for dropout, which is drawn anew in each pass, an update is that of one rank; all ranks end
// it with the same bits.
class PpoTrainer {
 public:
  // The model must have a frozen base, which is the reference policy, and an adapter that is on and
  // not merged. Value heads begin at zero. Throws InvalidInput where options break their rules.
  PpoTrainer(Transformer& model, std::int64_t critics, const PpoOptions& options,
             std::uint64_t seed, Ranks& ranks = alone());

  // One PPO update. Throws InvalidInput on shapes that do not fit, or if the adapter is off or
  // merged now. An update that is not finite does not count: the state is what it was.
  PpoReport update(const PpoBatch& batch);

  std::int64_t updates() const { return updates_; }
  double kl_coefficient() const { return kl_coefficient_; }
  const std::vector<ValueHead>& value_heads() const { return heads_; }

  // All that training has changed: the adapter, the value heads, and the optimizers' moments. A
  // trainer of the same model, options and seed that restores it goes on to the last bit.
  struct State {
    std::int64_t updates = 0;
    double kl_coefficient = 0;
    Weights parameters = {};  // the adapter's names; critic.J.v_head.summary.{weight,bias}
    Weights optimizer = {};   // policy.* and value.*: what the two AdamW::state() give
  };
  State state() const;
  // Throws InvalidInput where a tensor is missing or of another shape or type.
  void restore(const State& state);

 private:
  struct Numbers;  // of one mini-batch
  struct Sums;     // over mini-batches

  bool warms_up() const { return updates_ < options_.critic_warmup_steps; }
  void check_batch(const PpoBatch& batch) const;
  std::vector<MiniBatch> epoch_passes(const PpoBatch& batch, std::int64_t epoch) const;
  PpoReport first_report(const AnswerSpans& spans, const Lesson& lesson) const;
  // All epochs; fills in the report. False where something was not finite.
  bool learn(const PpoBatch& batch, const Lesson& lesson, std::vector<MiniBatch> first,
             PpoReport& report);
  // Leaves the gradient of the mini-batch in the parameters.
  Numbers gradient(const MiniBatch& minibatch, const Lesson& lesson, const StreamFamily& dropout,
                   std::uint32_t number);
  void add_pass(const Pass& pass, const Lesson& lesson, const RandomBlock& dropout,
                Numbers& numbers);
  std::vector<NamedTensor> trained() const;  // in this update
  void step(double rate, double gradient_norm);
  void clear_gradients();

  Transformer& model_;
  PpoOptions options_;
  std::uint64_t seed_;
  Ranks& ranks_;
  std::vector<ValueHead> heads_;
  AdamW policy_optimizer_;
  AdamW value_optimizer_;
  std::int64_t updates_ = 0;
  double kl_coefficient_;
};

}  // namespace rgu::llm
