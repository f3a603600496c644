#include "rgu/align/training/aligner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

#include "rgu/align/training/answer_batch.hpp"
#include "rgu/base/check.hpp"
#include "rgu/llm/torch/example_order.hpp"
#include "rgu/llm/torch/lora.hpp"
#include "rgu/llm/torch/ppo_trainer.hpp"
#include "rgu/llm/torch/torch_generate.hpp"
#include "rgu/llm/torch/torch_setup.hpp"
#include "rgu/llm/torch/transformer.hpp"
#include "rgu/record/json_values.hpp"

namespace rgu::align {
namespace {

using Clock = std::chrono::steady_clock;

// Of sampling: one stream for each outer step, and one for the answers that are shown. Far from
// those of training (training_stream).
constexpr std::uint64_t kSamplingStreams = std::uint64_t{1} << 40;
constexpr std::uint64_t kShownStream = std::uint64_t{1} << 39;
// The order of the evaluation prompts has a seed apart from that of the training prompts.
constexpr std::uint64_t kEvaluationOrder = 0x6576616c;
constexpr const char* kParameters = "parameters.";
constexpr const char* kOptimizer = "optimizer.";

// The numbers of an update as metrics.jsonl has them.
constexpr std::array<std::pair<const char*, double llm::PpoReport::*>, 19> kPpoNumbers = {{
    {"kl", &llm::PpoReport::kl},
    {"kl_coefficient", &llm::PpoReport::kl_coefficient},
    {"entropy", &llm::PpoReport::entropy},
    {"non_score_reward", &llm::PpoReport::non_score_reward},
    {"policy_loss", &llm::PpoReport::policy_loss},
    {"value_loss", &llm::PpoReport::value_loss},
    {"total_loss", &llm::PpoReport::total_loss},
    {"clip_fraction", &llm::PpoReport::clip_fraction},
    {"value_clip_fraction", &llm::PpoReport::value_clip_fraction},
    {"approximate_kl", &llm::PpoReport::approximate_kl},
    {"policy_kl", &llm::PpoReport::policy_kl},
    {"mean_ratio", &llm::PpoReport::mean_ratio},
    {"gradient_norm", &llm::PpoReport::gradient_norm},
    {"advantage_mean", &llm::PpoReport::advantage_mean},
    {"advantage_deviation", &llm::PpoReport::advantage_deviation},
    {"return_mean", &llm::PpoReport::return_mean},
    {"return_variance", &llm::PpoReport::return_variance},
    {"value_mean", &llm::PpoReport::value_mean},
    {"explained_variance", &llm::PpoReport::explained_variance},
}};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

llm::Transformer policy_of(const Setup& setup, std::uint64_t seed) {
  llm::prepare_torch(setup.machine.threads);
  llm::Transformer model(setup.model.config, setup.model.weights, {.device = setup.machine.device});
  if (setup.adapter) {
    llm::load_adapter(model, *setup.adapter);
    return model;
  }
  const PolicyConfig& policy = setup.config.policy;
  Rng rng(seed, llm::training_stream::kNewWeights);
  llm::add_adapter(model,
                   {.rank = policy.lora_rank,
                    .alpha = policy.lora_alpha,
                    .dropout = policy.lora_dropout,
                    .target_modules = policy.target_modules},
                   rng);
  return model;
}

std::vector<const TokenisedPrompt*> repeated(const std::vector<TokenisedPrompt>& prompts,
                                             const std::vector<std::int64_t>& chosen,
                                             Index answers) {
  std::vector<const TokenisedPrompt*> repeated;
  for (const std::int64_t prompt : chosen) {
    repeated.insert(repeated.end(), static_cast<std::size_t>(answers),
                    &prompts[static_cast<std::size_t>(prompt)]);
  }
  return repeated;
}

llm::ExampleOrder order_of(const std::vector<TokenisedPrompt>& prompts, std::uint64_t seed) {
  return llm::ExampleOrder({.examples = static_cast<std::int64_t>(prompts.size()), .seed = seed});
}

}  // namespace

struct Aligner::Parts {
  Parts(const Setup& shared, std::uint64_t its_seed, AlignerHooks its_hooks)
      : setup(shared),
        config(shared.config),
        seed(its_seed),
        hooks(std::move(its_hooks)),
        ranks(*hooks.ranks),
        objective(shared.config),
        shaping(shared.config),
        training_order(order_of(shared.prompts.training, its_seed)),
        evaluation_order(order_of(shared.prompts.evaluation, its_seed ^ kEvaluationOrder)),
        model(policy_of(shared, its_seed)),
        trainer(model, shaping.columns(), shared.config.ppo, its_seed, ranks) {
    if (setup.machine.device == "cpu") {
      decoder.emplace(setup.model.config, llm::weights_of(model),
                      llm::DecoderOptions{.threads = setup.machine.threads});
    }
  }

  bool told_to_stop() const { return hooks.interrupt != nullptr && hooks.interrupt->load(); }
  void tell(std::string_view phase) const {
    if (hooks.phase) hooks.phase(phase);
  }
  // All ranks at the same place: what rank 0 was told counts.
  void begin_phase(std::string_view phase) const {
    bool stop = told_to_stop();
    broadcast(ranks, stop);
    if (stop) throw Interrupted();
    tell(phase);
  }

  // The answers to all prompts, scored. Answer i is drawn from the same random numbers, whichever
  // rank it is on.
  AnswerBatch answered(std::vector<const TokenisedPrompt*> prompts, std::uint64_t stream);
  // Those of this rank; `first` is the number of the first among all.
  AnswerBatch own_answers(std::vector<const TokenisedPrompt*> prompts, std::uint64_t stream,
                          Index first);
  AnswerBatch sampled(std::vector<const TokenisedPrompt*> prompts, std::uint64_t stream,
                      Index first);
  void score(AnswerBatch& batch) const;
  std::vector<const TokenisedPrompt*> prompts_of(Index step);
  void put_players(StepNumbers& step) const;

  const Setup& setup;
  const AlignConfig& config;
  std::uint64_t seed;
  AlignerHooks hooks;
  Ranks& ranks;
  Objective objective;
  ScoreShaping shaping;
  llm::ExampleOrder training_order;
  llm::ExampleOrder evaluation_order;
  llm::Transformer model;
  llm::PpoTrainer trainer;
  std::optional<llm::Decoder> decoder;  // on a CPU
  bool decoder_is_old = false;          // the model was trained since it was loaded

  // Of the last step.
  AnswerBatch training;
  AnswerBatch evaluation;
  Vector nature;
  ShapedScores shaped;
  llm::PpoReport report;
  StepTiming timing;
  Index iteration = 0;
  Index answers = 0;  // drawn so far
};

AnswerBatch Aligner::Parts::answered(std::vector<const TokenisedPrompt*> prompts,
                                     std::uint64_t stream) {
  const Share own = own_share(ranks, static_cast<Index>(prompts.size()));
  const auto begin = prompts.begin() + own.first;
  AnswerBatch batch;
  const std::vector<std::string> messages = gathered(ranks, [&] {
    batch = own_answers({begin, begin + own.count}, stream, own.first);
    return ranks.size() == 1 ? std::string() : message_of(batch);
  });
  return ranks.size() == 1 ? batch : joined(std::move(prompts), messages);
}

AnswerBatch Aligner::Parts::own_answers(std::vector<const TokenisedPrompt*> prompts,
                                        std::uint64_t stream, Index first) {
  timing = {};
  if (prompts.empty()) return {};  // more ranks than answers
  Clock::time_point begin = Clock::now();
  AnswerBatch batch = sampled(std::move(prompts), stream, first);
  timing.sampling = seconds_since(begin);
  begin = Clock::now();
  score(batch);
  timing.scoring = seconds_since(begin);
  return batch;
}

AnswerBatch Aligner::Parts::sampled(std::vector<const TokenisedPrompt*> prompts,
                                    std::uint64_t stream, Index first) {
  AnswerBatch batch{.prompts = std::move(prompts)};
  std::vector<std::vector<llm::TokenId>> tokens;
  for (const TokenisedPrompt* prompt : batch.prompts) tokens.push_back(prompt->tokens);
  const SamplingConfig& sampling = config.sampling;
  const llm::GenerateOptions options{
      .sampling = {.temperature = sampling.temperature,
                   .top_k = sampling.top_k,
                   .top_p = sampling.top_p,
                   .max_new_tokens = sampling.max_new_tokens,
                   .stop = setup.end},
      .streams = {.seed = seed, .stream = stream},
      .first_sequence = static_cast<std::uint32_t>(first),
      .observe = [&](const llm::GenerateOptions::Progress&) { return !told_to_stop(); }};
  if (decoder && decoder_is_old) decoder->load(llm::weights_of(model));
  decoder_is_old = false;
  batch.sequences =
      decoder ? decoder->generate(tokens, options) : llm::generate(model, tokens, options);
  if (told_to_stop()) throw Interrupted();
  for (std::size_t i = 0; i < batch.sequences.size(); ++i) {
    batch.texts.push_back(
        llm::continuation_text(*setup.tokenizer, tokens[i], batch.sequences[i].tokens));
  }
  return batch;
}

void Aligner::Parts::score(AnswerBatch& batch) const {
  std::vector<Answer> views;
  for (std::size_t i = 0; i < batch.prompts.size(); ++i) views.push_back(batch.answer(i));
  const auto scored = [&](const std::vector<std::unique_ptr<Scorer>>& scorers) {
    Matrix scores(batch.size(), static_cast<Index>(scorers.size()));
    for (std::size_t j = 0; j < scorers.size(); ++j) {
      if (told_to_stop()) throw Interrupted();
      tell("scoring");
      const std::vector<double> column = scorers[j]->scores(views);
      scores.col(static_cast<Index>(j)) = Eigen::Map<const Vector>(column.data(), batch.size());
    }
    return scores;
  };
  batch.scores = {.rewards = scored(setup.rewards), .costs = scored(setup.costs)};
}

std::vector<const TokenisedPrompt*> Aligner::Parts::prompts_of(Index step) {
  const SamplingConfig& sampling = config.sampling;
  const auto stretch = [&](Index count) {
    return llm::ExampleOrder::Stretch{.first = step * count, .count = count};
  };
  std::vector<const TokenisedPrompt*> prompts = repeated(
      setup.prompts.training, training_order.examples(stretch(sampling.prompts)), sampling.answers);
  const std::vector<const TokenisedPrompt*> further = repeated(
      setup.prompts.evaluation, evaluation_order.examples(stretch(sampling.evaluation_prompts)),
      sampling.evaluation_answers);
  prompts.insert(prompts.end(), further.begin(), further.end());
  return prompts;
}

// What both players have come to.
void Aligner::Parts::put_players(StepNumbers& step) const {
  const AnswerScores& scores = evaluation.scores;
  step.put("objective", objective.evaluate(scores, nature).value);
  step.put("envelope", objective.envelope(scores));
  step.put("reward", scores.rewards.mean());
  if (config.rewards.size() > 1) {
    for (Index j = 0; j < scores.rewards.cols(); ++j) {
      const std::string& name = config.rewards[static_cast<std::size_t>(j)].name;
      step.put("reward/" + name, scores.rewards.col(j).mean());
      step.put("weight/" + name, objective.weights(nature)[j]);
    }
  }
  double violation = -std::numeric_limits<double>::infinity();
  for (Index k = 0; k < scores.costs.cols(); ++k) {
    const ConstraintConfig& constraint = config.constraints[static_cast<std::size_t>(k)];
    const std::string& name = constraint.scorer.name;
    const double cost = scores.costs.col(k).mean();
    violation = std::max(violation, cost - constraint.threshold);
    step.put("cost/" + name, cost);
    step.put("train_cost/" + name, training.scores.costs.col(k).mean());
    step.put("multiplier/" + name, objective.multipliers(nature)[k]);
  }
  if (!config.constraints.empty()) step.put("violation", violation);
  step.put("train_objective", objective.evaluate(training.scores, nature).value);
  step.put("train_reward", training.scores.rewards.mean());
}

Aligner::Aligner(const Setup& setup, std::uint64_t seed, AlignerHooks hooks)
    : parts_(std::make_unique<Parts>(setup, seed, std::move(hooks))) {}

Aligner::~Aligner() = default;

const Objective& Aligner::objective() const { return parts_->objective; }

Index Aligner::draw(Index iteration) {
  Parts& p = *parts_;
  p.iteration = iteration;
  p.begin_phase("sampling");
  AnswerBatch both =
      p.answered(p.prompts_of(iteration), kSamplingStreams + static_cast<std::uint64_t>(iteration));
  const Index drawn = both.size();
  SplitBatch parts = split(std::move(both), p.config.sampling.prompts * p.config.sampling.answers);
  p.training = std::move(parts.first);
  p.evaluation = std::move(parts.rest);
  p.answers += drawn;
  return drawn;
}

SaddleGradient Aligner::nature_gradient(const Vector& nature) const {
  const UtilityGradient f = parts_->objective.evaluate(parts_->training.scores, nature);
  return {.value = f.value, .nature = f.nature};
}

double Aligner::descend(const Vector& nature) {
  Parts& p = *parts_;
  p.begin_phase("updating");
  const Clock::time_point begin = Clock::now();
  const RunningMoments moments = p.shaping.moments();
  p.nature = nature;
  p.ranks.broadcast(std::as_writable_bytes(std::span(p.nature.data(), p.nature.size())));
  p.shaped = p.shaping.shaped(p.objective, p.training.scores, p.nature, p.training.finished());
  std::vector<llm::Rollout> rollouts;
  for (std::size_t i = 0; i < p.training.prompts.size(); ++i) {
    rollouts.push_back(
        {.prompt = p.training.prompts[i]->tokens, .answer = p.training.sequences[i].tokens});
  }
  p.report = p.trainer.update({.rollouts = rollouts,
                               .scores = p.shaped.columns,
                               .mixing = p.shaped.mixing,
                               .temperature = p.config.sampling.temperature});
  p.decoder_is_old = true;
  p.timing.update = seconds_since(begin);
  if (!p.report.finite) {
    p.shaping.restore(moments);
    return std::numeric_limits<double>::quiet_NaN();
  }
  return p.objective.evaluate(p.training.scores, p.nature).value;
}

StepNumbers Aligner::numbers() const {
  const Parts& p = *parts_;
  StepNumbers step{.iteration = p.iteration + 1};
  p.put_players(step);
  const Vector score = p.shaped.columns * p.shaped.mixing;
  step.put("score_mean", score.mean());
  step.put("score_deviation", std::sqrt((score.array() - score.mean()).square().mean()));
  step.put("length_mean", p.evaluation.mean_length());
  step.put("length_max", p.evaluation.longest());
  step.put("finished", p.evaluation.finished_share());
  for (const auto& [name, member] : kPpoNumbers) step.put(name, p.report.*member);
  step.put("learning_rate", p.report.learning_rate);
  step.put("epochs", static_cast<double>(p.report.epochs));
  step.put("skipped", static_cast<double>(p.report.skipped));
  step.put("answer_tokens", static_cast<double>(p.report.answer_tokens));
  step.put("answers", static_cast<double>(p.answers));
  return step;
}

StepTiming Aligner::timing() const { return parts_->timing; }

std::vector<LoggedAnswer> Aligner::logged_answers() const {
  const Parts& p = *parts_;
  std::vector<LoggedAnswer> logged;
  // The first answers to as many prompts as there are, then the second ones, ..
  const auto answers = static_cast<std::size_t>(p.config.sampling.evaluation_answers);
  const std::size_t prompts = p.evaluation.prompts.size() / answers;
  const std::size_t count =
      std::min(static_cast<std::size_t>(p.config.output.samples), p.evaluation.prompts.size());
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t i = (n % prompts) * answers + n / prompts;
    logged.push_back({.iteration = p.iteration + 1,
                      .prompt = p.evaluation.prompts[i]->input,
                      .answer = p.evaluation.judged(i, p.config),
                      .tokens = static_cast<Index>(p.evaluation.sequences[i].tokens.size()),
                      .finished = p.evaluation.sequences[i].stopped});
  }
  return logged;
}

std::vector<std::string> Aligner::alarms() const {
  const Parts& p = *parts_;
  if (p.report.kl >= p.config.output.negative_kl_alarm) return {};
  return {
      fmt::format("step {}: the KL divergence is {:.3g}, below {}: the policy finds its answers "
                  "less probable than the reference does. Sampling that differs from what is "
                  "scored (top_k, top_p) or an estimator of either sign does that; try "
                  "kl_estimator = \"k3\" or \"full\"",
                  p.iteration + 1, p.report.kl, p.config.output.negative_kl_alarm)};
}

std::vector<std::string> Aligner::take_notes() {
  Json own = Json::array();
  for (const auto* scorers : {&parts_->setup.rewards, &parts_->setup.costs}) {
    for (const auto& scorer : *scorers) {
      for (std::string& note : scorer->take_notes()) own.push_back(std::move(note));
    }
  }
  std::vector<std::string> notes;
  for (const std::string& message : parts_->ranks.gather(to_text(own))) {
    for (const Json& note : parse_json(message)) notes.push_back(note.get<std::string>());
  }
  return notes;
}

std::vector<Aligner::ShownAnswer> Aligner::shown_answers() {
  Parts& p = *parts_;
  const std::size_t count = std::min(static_cast<std::size_t>(p.config.output.shown_prompts),
                                     p.setup.prompts.evaluation.size());
  std::vector<ShownAnswer> shown;
  if (count == 0) return shown;
  // Spread over the file, which may be ordered by kind.
  const std::vector<TokenisedPrompt>& all = p.setup.prompts.evaluation;
  std::vector<const TokenisedPrompt*> prompts;
  for (std::size_t i = 0; i < count; ++i) prompts.push_back(&all[i * all.size() / count]);
  const AnswerBatch batch = p.answered(std::move(prompts), kShownStream);
  for (std::size_t i = 0; i < count; ++i) {
    shown.push_back({.prompt = batch.prompts[i]->input, .answer = batch.judged(i, p.config)});
  }
  return shown;
}

Aligner::State Aligner::state() const {
  const llm::PpoTrainer::State trained = parts_->trainer.state();
  State state{.updates = trained.updates,
              .kl_coefficient = trained.kl_coefficient,
              .moments = parts_->shaping.moments(),
              .answers = parts_->answers};
  state.tensors.put_all(kParameters, trained.parameters);
  state.tensors.put_all(kOptimizer, trained.optimizer);
  return state;
}

void Aligner::restore(const State& state) {
  parts_->trainer.restore({.updates = state.updates,
                           .kl_coefficient = state.kl_coefficient,
                           .parameters = state.tensors.part(kParameters),
                           .optimizer = state.tensors.part(kOptimizer)});
  parts_->shaping.restore(state.moments);
  parts_->answers = state.answers;
  parts_->decoder_is_old = true;
}

void Aligner::share() {
  Ranks& ranks = parts_->ranks;
  if (ranks.size() == 1) return;
  State shared = state();
  broadcast(ranks, shared.updates);
  broadcast(ranks, shared.kl_coefficient);
  broadcast(ranks, shared.moments);
  broadcast(ranks, shared.answers);
  for (auto& [name, tensor] : shared.tensors.tensors) {
    auto bytes = std::make_shared<std::vector<std::byte>>(tensor.bytes.begin(), tensor.bytes.end());
    ranks.broadcast(*bytes);
    tensor.bytes = *bytes;
    shared.tensors.owners.push_back(std::move(bytes));
  }
  if (!ranks.leads()) restore(shared);
}

void Aligner::save_adapter(const std::filesystem::path& folder) const {
  llm::AdapterFiles files = llm::adapter_files(parts_->model);
  files.config.base_model = parts_->config.policy.model.string();
  llm::save_adapter(files, folder);
}

}  // namespace rgu::align
