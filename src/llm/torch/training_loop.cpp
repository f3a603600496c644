#include "rgu/llm/torch/training_loop.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "rgu/llm/torch/example_order.hpp"
#include "rgu/llm/torch/optimizer.hpp"
#include "rgu/llm/torch/tensors.hpp"
#include "rgu/llm/torch/training_record.hpp"

namespace rgu::llm {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

AdamWOptions adamw_options(const TrainingOptions& options) {
  return {.beta1 = options.beta1,
          .beta2 = options.beta2,
          .epsilon = options.epsilon,
          .weight_decay = options.weight_decay};
}

void restore(const std::vector<NamedTensor>& tensors, const Weights& from) {
  const at::NoGradGuard no_gradients;
  for (const NamedTensor& tensor : tensors) {
    const at::Tensor stored = tensor_of(from.at(tensor.name), from.owners);
    check(stored.sizes() == tensor.tensor.sizes() && stored.dtype() == tensor.tensor.dtype(),
          "tensor {} of the checkpoint has another shape or type than this model's", tensor.name);
    at::Tensor target = tensor.tensor;
    target.copy_(stored);
  }
}

class Loop {
 public:
  Loop(TrainingTask& task, const TrainingPlan& plan, TrainingRecord& record)
      : task_(task),
        plan_(plan),
        record_(record),
        optimizer_(plan.parameters, adamw_options(plan.options)),
        order_({.examples = plan.examples, .seed = plan.options.seed}) {
    result_.steps = step_count(plan.options, plan.examples);
    rates_ = rate_options(plan.options, result_.steps);
    for (const NamedTensor& parameter : plan.parameters) {
      result_.trained_parameters += parameter.tensor.numel();
    }
    if (record_.resumed()) go_on_from(*record_.resumed());
  }

  TrainingResult run(const TrainingTarget& target, const TrainingObserver& observe) {
    const Clock::time_point begin = Clock::now();
    result_.status = steps(observe);
    if (result_.status == TrainingStatus::kFinished) {
      task_.save(target.folder);
      record_.finish(result_);
    }
    result_.seconds = seconds_since(begin);
    return result_;
  }

 private:
  TrainingStatus steps(const TrainingObserver& observe) {
    while (result_.step < result_.steps) {
      const std::optional<TrainingProgress> progress = step();
      if (!progress) {
        if (!record_.has_checkpoint()) checkpoint();
        return TrainingStatus::kDiverged;
      }
      record_.add(*progress);
      const bool stop = observe && !observe(*progress);
      if (result_.step == result_.steps) break;
      if (stop || is_due(plan_.options.checkpoint_interval)) checkpoint();
      if (stop) return TrainingStatus::kInterrupted;
    }
    return TrainingStatus::kFinished;
  }

  // None: something was not finite, and nothing has changed.
  std::optional<TrainingProgress> step() {
    const Clock::time_point begin = Clock::now();
    const std::int64_t batch = plan_.options.batch;
    const std::vector<std::int64_t> examples =
        order_.examples({.first = result_.step * batch, .count = batch});
    std::vector<at::Tensor> before;
    for (const NamedTensor& tensor : plan_.further) before.push_back(tensor.tensor.clone());
    optimizer_.clear_gradients();
    const TrainingTask::Learned learned =
        task_.learn({.examples = examples,
                     .parts = plan_.options.accumulation,
                     .dropout = {.seed = plan_.options.seed, .stream = training_stream::kDropout},
                     .step = static_cast<std::uint32_t>(result_.step)});
    const double norm = optimizer_.gradient_norm();
    if (!std::isfinite(learned.loss) || !std::isfinite(norm)) {
      for (std::size_t i = 0; i < before.size(); ++i) {
        at::Tensor further = plan_.further[i].tensor;
        further.copy_(before[i]);
      }
      return {};
    }
    const double rate = learning_rate(rates_, result_.step);
    optimizer_.step({.rate = rate, .gradient_scale = clip_scale(norm, plan_.options.clip)});
    optimizer_.clear_gradients();
    count(learned);
    TrainingProgress progress = {
        .step = result_.step,
        .steps = result_.steps,
        .loss = learned.loss,
        .learning_rate = rate,
        .gradient_norm = norm,
        .tokens = result_.tokens,
        .tokens_per_second = static_cast<double>(learned.tokens) / seconds_since(begin),
        .accuracy = learned.accuracy};
    if (is_due(plan_.options.evaluation_interval) || result_.step == result_.steps)
      evaluate(progress);
    return progress;
  }

  void count(const TrainingTask::Learned& learned) {
    ++result_.step;
    result_.tokens += learned.tokens;
    result_.loss = learned.loss;
    if (std::isnan(result_.first_loss)) result_.first_loss = learned.loss;
  }

  void evaluate(TrainingProgress& progress) {
    if (!plan_.evaluated) return;
    const at::NoGradGuard no_gradients;
    result_.evaluation = task_.evaluate();
    progress.evaluation = result_.evaluation;
  }

  bool is_due(std::int64_t interval) const { return interval > 0 && result_.step % interval == 0; }

  void checkpoint() {
    Checkpoint now = {
        .step = result_.step, .tokens = result_.tokens, .optimizer = optimizer_.state()};
    for (const auto* tensors : {&plan_.parameters, &plan_.further}) {
      for (const NamedTensor& tensor : *tensors)
        put_tensor(now.parameters, tensor.name, tensor.tensor);
    }
    record_.write(std::move(now));
  }

  void go_on_from(const Checkpoint& checkpoint) {
    check(checkpoint.step <= result_.steps, "the checkpoint has {} steps: this run has {}",
          checkpoint.step, result_.steps);
    restore(plan_.parameters, checkpoint.parameters);
    restore(plan_.further, checkpoint.parameters);
    optimizer_.restore(checkpoint.optimizer);
    result_.step = result_.resumed = checkpoint.step;
    result_.tokens = checkpoint.tokens;
    record_.forget_resumed();
  }

  TrainingTask& task_;
  const TrainingPlan& plan_;
  TrainingRecord& record_;
  AdamW optimizer_;
  ExampleOrder order_;
  RateOptions rates_;
  TrainingResult result_;
};

}  // namespace

std::span<const std::int64_t> TrainingUpdate::part(std::int64_t number) const {
  const std::size_t size = examples.size() / static_cast<std::size_t>(parts);
  return examples.subspan(static_cast<std::size_t>(number) * size, size);
}

std::uint64_t TrainingUpdate::dropout_seed(std::int64_t number) const {
  return dropout.block(step, static_cast<std::uint32_t>(number))[0];
}

std::int64_t held_out_count(const TrainingOptions& options, std::int64_t examples) {
  const auto share =
      static_cast<std::int64_t>(std::ceil(options.held_out * static_cast<double>(examples)));
  return std::min(share, examples - 1);
}

std::int64_t step_count(const TrainingOptions& options, std::int64_t examples) {
  const double passes = options.epochs * static_cast<double>(examples);
  const double steps = std::ceil(passes / static_cast<double>(options.batch));
  const auto count = options.steps.value_or(static_cast<std::int64_t>(std::min(steps, 4e9)));
  check(count <= 0xffffffff, "{} steps: at most 2^32 - 1", count);
  return count;
}

TrainingResult run_training(TrainingTask& task, TrainingPlan plan, const TrainingTarget& target,
                            const TrainingObserver& observe) {
  TrainingRecord record(target, plan.fingerprint);
  if (record.finished()) return *record.finished();
  return Loop(task, plan, record).run(target, observe);
}

}  // namespace rgu::llm
