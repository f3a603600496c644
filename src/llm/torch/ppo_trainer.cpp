#include "rgu/llm/torch/ppo_trainer.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "rgu/base/check.hpp"
#include "rgu/llm/torch/lora.hpp"
#include "rgu/llm/torch/ppo_ranks.hpp"
#include "rgu/llm/torch/tensors.hpp"
#include "rgu/llm/torch/token_log_probabilities.hpp"

namespace rgu::llm {
namespace {

// Random streams: one of each kind for (update, epoch), which check_options keeps below 2^20.
constexpr std::uint64_t kOrderStream = std::uint64_t{1} << 62;
constexpr std::uint64_t kDropoutStream = std::uint64_t{1} << 63;

std::uint64_t stream_of(std::uint64_t kind, std::int64_t update, std::int64_t epoch) {
  return kind | (static_cast<std::uint64_t>(update) << 20) | static_cast<std::uint64_t>(epoch);
}

std::vector<std::int64_t> permutation(std::size_t size, Rng rng) {
  std::vector<std::int64_t> order(size);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  return order;
}

void check_model(const Transformer& model) {
  check(model.options().head == Head::kLanguage, "PPO trains a language model, not a score model");
  check(model.options().base == BaseWeights::kFrozen,
        "PPO needs a frozen base: it is the reference policy");
  check(model.adapter().has_value(), "PPO trains an adapter: the model has none");
  check(model.adapter()->on && !model.adapter()->merged,
        "PPO trains an adapter: it must be on and not merged");
}

std::vector<ValueHead> zero_heads(const Transformer& model, std::int64_t count, double dropout) {
  Rng unused(0);
  std::vector<ValueHead> heads;
  for (std::int64_t j = 0; j < count; ++j) {
    heads.emplace_back(
        model.config().hidden,
        ValueHeadOptions{.dropout = dropout, .start = ValueHeadOptions::Start::kZero}, unused);
    heads.back().move_to(model.device(), model.type());
  }
  return heads;
}

std::vector<NamedTensor> parameters_of_heads(const std::vector<ValueHead>& heads) {
  std::vector<NamedTensor> parameters;
  for (std::size_t j = 0; j < heads.size(); ++j) {
    for (const NamedTensor& parameter : heads[j].parameters()) {
      parameters.push_back({fmt::format("critic.{}.{}", j, parameter.name), parameter.tensor});
    }
  }
  return parameters;
}

AdamWOptions adam_options(const PpoOptions& options) {
  return {.beta1 = options.beta1,
          .beta2 = options.beta2,
          .epsilon = options.epsilon,
          .weight_decay = options.weight_decay};
}

void put_copies(Weights& into, const std::vector<NamedTensor>& parameters) {
  for (const NamedTensor& parameter : parameters) {
    put_tensor(into, parameter.name, parameter.tensor.detach().clone());
  }
}

void check_stored(const Weights& from, const NamedTensor& parameter) {
  const TensorView& view = from.at(parameter.name);
  const DataType type = data_type_of(parameter.tensor.scalar_type());
  check(view.shape == parameter.tensor.sizes().vec() && view.type == type,
        "tensor {} is {} {}: must be {} {}", parameter.name, name_of(view.type),
        text_of(view.shape), name_of(type), text_of(parameter.tensor.sizes().vec()));
}

void copy_back(const Weights& from, const std::vector<NamedTensor>& parameters) {
  const at::NoGradGuard no_gradients;
  for (const NamedTensor& parameter : parameters) {
    at::Tensor(parameter.tensor).copy_(tensor_of(from.at(parameter.name), from.owners));
  }
}

}  // namespace

// Losses are sums over the passes; the other figures are means over all tokens.
struct PpoTrainer::Numbers {
  double policy_loss = 0;
  double value_loss = 0;
  double total_loss = 0;
  double clip_fraction = 0;
  double value_clip_fraction = 0;
  double approximate_kl = 0;
  double policy_kl = 0;
  double mean_ratio = 0;
  double gradient_norm = 0;
  double tokens = 0;  // of the mini-batch

  bool finite() const { return std::isfinite(total_loss) && std::isfinite(gradient_norm); }
  void sum_over(Ranks& ranks);  // all that passes have added to
};

void PpoTrainer::Numbers::sum_over(Ranks& ranks) {
  double* const fields[] = {&policy_loss,         &value_loss,     &total_loss, &clip_fraction,
                            &value_clip_fraction, &approximate_kl, &policy_kl,  &mean_ratio};
  std::array<double, std::size(fields)> values;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = *fields[i];
  ranks.sum(std::span<double>(values));
  for (std::size_t i = 0; i < values.size(); ++i) *fields[i] = values[i];
}

struct PpoTrainer::Sums {
  Numbers sum = {};
  std::int64_t count = 0;

  void add(const Numbers& numbers) {
    ++count;
    for (const auto field : kFields) sum.*field += numbers.*field;
  }
  void put_means(PpoReport& report) const {
    if (count == 0) return;
    const auto n = static_cast<double>(count);
    report.minibatches = count;
    report.policy_loss = sum.policy_loss / n;
    report.value_loss = sum.value_loss / n;
    report.total_loss = sum.total_loss / n;
    report.clip_fraction = sum.clip_fraction / n;
    report.value_clip_fraction = sum.value_clip_fraction / n;
    report.approximate_kl = sum.approximate_kl / n;
    report.mean_ratio = sum.mean_ratio / n;
    report.gradient_norm = sum.gradient_norm / n;
  }

 private:
  static constexpr double Numbers::*kFields[] = {
      &Numbers::policy_loss,         &Numbers::value_loss,     &Numbers::total_loss,
      &Numbers::clip_fraction,       &Numbers::approximate_kl, &Numbers::mean_ratio,
      &Numbers::value_clip_fraction, &Numbers::gradient_norm};
};

PpoTrainer::PpoTrainer(Transformer& model, std::int64_t critics, const PpoOptions& options,
                       std::uint64_t seed, Ranks& ranks)
    : model_(model),
      options_(options),
      seed_(seed),
      ranks_(ranks),
      heads_(zero_heads(model, critics, options.value_dropout)),
      policy_optimizer_(adapter_parameters(model), adam_options(options)),
      value_optimizer_(parameters_of_heads(heads_), adam_options(options)),
      kl_coefficient_(options.kl_coefficient) {
  check_options(options);
  check_model(model);
  check(options.critics == Critics::kOne ? critics == 1 : critics >= 1,
        "{} value heads: must be {}", critics,
        options.critics == Critics::kOne ? "1 where critics is one" : "at least 1");
}

void PpoTrainer::check_batch(const PpoBatch& batch) const {
  const auto answers = static_cast<Index>(batch.rollouts.size());
  const auto critics = static_cast<Index>(heads_.size());
  check_count("answers of an update", answers);
  check_shape("scores", batch.scores, {.rows = answers, .columns = critics});
  check_size("mixing", batch.mixing.size(), critics);
  check_finite("mixing", batch.mixing);
  check_positive("temperature", batch.temperature);
  // Otherwise the coefficient could become negative.
  check(options_.kl_control == KlControl::kFixed ||
            options_.kl_horizon > static_cast<double>(answers) / 5,
        "kl_horizon = {}: must be above a fifth of the {} answers of an update",
        options_.kl_horizon, answers);
  for (std::size_t b = 0; b < batch.rollouts.size(); ++b) {
    const Rollout& rollout = batch.rollouts[b];
    check(!rollout.prompt.empty() && !rollout.answer.empty(),
          "rollout {} has {} prompt and {} answer tokens: must be at least 1 of each", b,
          rollout.prompt.size(), rollout.answer.size());
    for (const TokenId token : rollout.answer) {
      check(token >= 0 && token < model_.config().vocabulary,
            "rollout {}: token {} of its answer must be 0 .. {}", b, token,
            model_.config().vocabulary - 1);
    }
  }
}

std::vector<MiniBatch> PpoTrainer::epoch_passes(const PpoBatch& batch, std::int64_t epoch) const {
  const Rng rng(seed_, stream_of(kOrderStream, updates_, epoch));
  PpoOptions divided = options_;
  divided.accumulation *= ranks_.size();
  return minibatches(batch.rollouts, permutation(batch.rollouts.size(), rng), divided);
}

PpoReport PpoTrainer::first_report(const AnswerSpans& spans, const Lesson& lesson) const {
  const Vector& returns = lesson.returns.front();
  const Vector& values = lesson.old.values.front();
  const double spread = variance(returns);
  const RateOptions rate = {.rate = options_.learning_rate,
                            .schedule = Schedule::kConstant,
                            .warmup = options_.warmup_steps,
                            .steps = options_.warmup_steps + 1};
  return {.kl = lesson.old.kl.sum() / static_cast<double>(spans.answers()),
          .kl_coefficient = kl_coefficient_,
          .entropy = lesson.old.entropy.mean(),
          .non_score_reward = -kl_coefficient_ * lesson.old.kl.mean(),
          .advantage_mean = lesson.advantage_mean,
          .advantage_deviation = lesson.advantage_deviation,
          .return_mean = returns.mean(),
          .return_variance = spread,
          .value_mean = values.mean(),
          .explained_variance = spread > 0 ? 1 - variance(returns - values) / spread : 0,
          .learning_rate = learning_rate(rate, updates_),
          .answer_tokens = spans.tokens()};
}

void PpoTrainer::add_pass(const Pass& pass, const Lesson& lesson, const RandomBlock& dropout,
                          Numbers& numbers) {
  using Seed = std::optional<std::uint64_t>;
  at::Tensor hidden, fresh;
  {
    const at::AutoGradMode policy_gradient(!warms_up());
    hidden = answer_states(model_, pass, options_.adapter_dropout ? Seed(dropout[0]) : Seed());
    fresh = token_log_probabilities(hidden, pass.language.targets.to(hidden.device()),
                                    model_.output_weight(), {.temperature = lesson.temperature})
                .values.to(at::kDouble);
  }
  const auto given = [&](const Vector& values) {
    return tensor_of(Vector(values(pass.entries))).to(hidden.device());
  };
  const at::Tensor weights = pass.weights.to(hidden.device());
  const PolicyLoss policy = policy_loss({.fresh = fresh,
                                         .old = given(lesson.old.log_probabilities),
                                         .advantages = given(lesson.advantages),
                                         .weights = weights},
                                        options_.ratio_clip);
  const double share = static_cast<double>(pass.tokens()) / numbers.tokens;
  at::Tensor total = warms_up() ? at::zeros_like(policy.loss) : policy.loss;
  for (std::size_t j = 0; j < heads_.size(); ++j) {
    const ValueLoss value =
        value_loss({.fresh = heads_[j].values(hidden, dropout[1] + j).to(at::kDouble),
                    .old = given(lesson.old.values[j]),
                    .returns = given(lesson.returns[j]),
                    .weights = weights},
                   options_.value_clip);
    total = total + options_.value_weight * value.loss;
    numbers.value_loss += value.loss.item<double>();
    numbers.value_clip_fraction += share * value.clip_fraction / static_cast<double>(heads_.size());
  }
  total.backward();
  numbers.policy_loss += policy.loss.item<double>();
  numbers.total_loss += total.item<double>();
  numbers.clip_fraction += share * policy.clip_fraction;
  numbers.approximate_kl += share * policy.approximate_kl;
  numbers.policy_kl += share * policy.policy_kl;
  numbers.mean_ratio += share * policy.mean_ratio;
}

PpoTrainer::Numbers PpoTrainer::gradient(const MiniBatch& minibatch, const Lesson& lesson,
                                         const StreamFamily& dropout, std::uint32_t number) {
  clear_gradients();
  Numbers numbers;
  for (const Pass& pass : minibatch) numbers.tokens += static_cast<double>(pass.tokens());
  for (std::size_t i = 0; i < minibatch.size(); ++i) {
    if (!is_own_pass(ranks_, i)) continue;
    add_pass(minibatch[i], lesson, dropout.block(number, static_cast<std::uint32_t>(i)), numbers);
  }
  numbers.sum_over(ranks_);
  sum_gradients(ranks_, trained());
  numbers.gradient_norm =
      std::hypot(policy_optimizer_.gradient_norm(), value_optimizer_.gradient_norm());
  return numbers;
}

void PpoTrainer::step(double rate, double gradient_norm) {
  const AdamW::Step step = {.rate = rate,
                            .gradient_scale = clip_scale(gradient_norm, options_.gradient_clip)};
  if (!warms_up()) policy_optimizer_.step(step);
  value_optimizer_.step(step);
}

std::vector<NamedTensor> PpoTrainer::trained() const {
  std::vector<NamedTensor> all = value_optimizer_.parameters();
  const std::vector<NamedTensor>& adapter = policy_optimizer_.parameters();
  if (!warms_up()) all.insert(all.end(), adapter.begin(), adapter.end());
  return all;
}

void PpoTrainer::clear_gradients() {
  policy_optimizer_.clear_gradients();
  value_optimizer_.clear_gradients();
}

bool PpoTrainer::learn(const PpoBatch& batch, const Lesson& lesson, std::vector<MiniBatch> first,
                       PpoReport& report) {
  Sums sums;
  for (std::int64_t epoch = 0; epoch < options_.epochs; ++epoch) {
    ++report.epochs;
    const std::vector<MiniBatch> passes =
        epoch == 0 ? std::move(first) : epoch_passes(batch, epoch);
    const StreamFamily dropout = {seed_, stream_of(kDropoutStream, updates_, epoch)};
    for (std::size_t i = 0; i < passes.size(); ++i) {
      const Numbers numbers = gradient(passes[i], lesson, dropout, static_cast<std::uint32_t>(i));
      report.policy_kl = numbers.policy_kl;
      if (numbers.mean_ratio > options_.ratio_limit) {
        ++report.skipped;
        continue;
      }
      sums.add(numbers);
      sums.put_means(report);
      if (!numbers.finite()) return false;
      step(report.learning_rate, numbers.gradient_norm);
    }
    const double limit = 1.5 * options_.early_stop_kl;
    if (limit > 0 && report.policy_kl > limit) break;
  }
  return true;
}

// The old policy is measured in the very passes of the first epoch: the ratio of the first
// mini-batch is exactly 1, and no pass needs more memory than those with gradients.
PpoReport PpoTrainer::update(const PpoBatch& batch) {
  check_model(model_);  // others may have merged its adapter, or switched it off
  check_batch(batch);
  const AnswerSpans spans = spans_of(batch.rollouts);
  std::vector<MiniBatch> first = epoch_passes(batch, 0);
  OldPolicy old =
      measured(model_, heads_, first,
               {.kl_estimator = options_.kl_estimator, .temperature = batch.temperature}, ranks_);
  const Lesson lesson = lesson_of(batch, std::move(old), kl_coefficient_, options_);
  PpoReport report = first_report(spans, lesson);
  report.finite = lesson.finite();
  if (!report.finite) return report;

  const State before = state();
  report.finite = learn(batch, lesson, std::move(first), report);
  clear_gradients();
  if (!report.finite) {
    restore(before);
    return report;
  }
  kl_coefficient_ =
      controlled(kl_coefficient_, {.kl = report.kl, .sequences = spans.answers()}, options_);
  ++updates_;
  return report;
}

PpoTrainer::State PpoTrainer::state() const {
  State state = {.updates = updates_, .kl_coefficient = kl_coefficient_};
  put_copies(state.parameters, policy_optimizer_.parameters());
  put_copies(state.parameters, value_optimizer_.parameters());
  state.optimizer.put_all("policy.", policy_optimizer_.state());
  state.optimizer.put_all("value.", value_optimizer_.state());
  return state;
}

void PpoTrainer::restore(const State& state) {
  for (const AdamW* optimizer : {&policy_optimizer_, &value_optimizer_}) {
    for (const NamedTensor& parameter : optimizer->parameters()) {
      check_stored(state.parameters, parameter);
    }
  }
  policy_optimizer_.restore(state.optimizer.part("policy."));
  value_optimizer_.restore(state.optimizer.part("value."));
  copy_back(state.parameters, policy_optimizer_.parameters());
  copy_back(state.parameters, value_optimizer_.parameters());
  updates_ = state.updates;
  kl_coefficient_ = state.kl_coefficient;
}

}  // namespace rgu::llm
