#include "rgu/align/config_file.hpp"

#include <fmt/format.h>

#include <set>

#include "rgu/base/check.hpp"
#include "rgu/experiment/describe_kinds.hpp"

namespace rgu::align {
namespace {

constexpr Range kCount = at_least(1);
constexpr Range kShare = between(0, 1);

constexpr std::array<Kind, 4> kScorers = {{
    {"model", "a score model: a folder, or a language model with the adapter of a trained scorer"},
    {"lexicon", "weights of words and phrases in a plain file"},
    {"linear", "a linear text classifier in a plain file"},
    {"command", "a program that reads answers and writes scores, a JSON line each"},
}};
constexpr std::array<Kind, 3> kLoadings = {{{"auto", "kept in memory where all models fit"},
                                            {"keep", "kept in memory"},
                                            {"each-time", "loaded for every batch, then freed"}}};
constexpr std::array<Kind, 3> kComputes = {
    {{"f32"}, {"bf16"}, {"file", "as the weights are stored"}}};
constexpr std::array<Kind, 2> kTemplates = {
    {{"conversation", "BEGINNING OF CONVERSATION: USER: .. ASSISTANT:"},
     {"none", "prompts as they are"}}};
constexpr std::array<Kind, 3> kNormalisations = {{{"none"},
                                                  {"scale", "by the running deviation"},
                                                  {"standardise", "less the running mean too"}}};
constexpr std::array<Kind, 2> kCritics = {
    {{"one", "one value head, on the adjusted score"},
     {"separate", "one for each score, their advantages mixed"}}};
constexpr std::array<Kind, 2> kAveragings = {{{"tokens"}, {"sequences"}}};
constexpr std::array<Kind, 5> kEstimators = {{{"k1", "log p - log q"},
                                              {"abs", "its absolute value"},
                                              {"mse", "half its square"},
                                              {"k3", "never negative, unbiased"},
                                              {"full", "over the whole vocabulary"}}};
constexpr std::array<Kind, 2> kControls = {{{"adaptive"}, {"fixed"}}};

void describe_one(FieldVisitor& visit, ModelScorerConfig& config) {
  visit.value({.name = "model", .help = "its folder", .presence = Presence::kRequired},
              &config.model);
  visit.value({"adapter", "folder of the adapter that brings the score head"}, &config.adapter);
  visit.value({"tokenizer", "its tokenizer; not given: beside the adapter or model"},
              &config.tokenizer);
  visit.value({"batch", "answers read at once", kCount}, &config.batch);
  describe_enum(visit, {"loading", "how long it stays in memory"}, config.loading, kLoadings);
  describe_enum(visit, {"compute", "type it computes in"}, config.compute, kComputes);
}

void describe_one(FieldVisitor& visit, LexiconScorerConfig& config) {
  visit.value({.name = "file", .help = "the lexicon", .presence = Presence::kRequired},
              &config.file);
}

void describe_one(FieldVisitor& visit, LinearScorerConfig& config) {
  visit.value({.name = "file", .help = "the classifier", .presence = Presence::kRequired},
              &config.file);
}

void describe_one(FieldVisitor& visit, CommandScorerConfig& config) {
  visit.value({.name = "command",
               .help = "program and arguments, without a shell",
               .presence = Presence::kRequired},
              &config.command);
  visit.value({"timeout_seconds", "for the scores of one batch", kPositive},
              &config.timeout_seconds);
}

void describe(FieldVisitor& visit, ScorerConfig& config) {
  visit.value({.name = "name", .help = "in metrics and reports", .presence = Presence::kRequired},
              &config.name);
  describe_kinds(visit, {"kind", "what scores"}, config.kind, kScorers,
                 [](auto& inner, auto& one) { describe_one(inner, one); });
  visit.value({"scale", "scores are multiplied by this", kFinite}, &config.scale);
  visit.value({"shift", ".. and this is added", kFinite}, &config.shift);
}

std::string multiplier_fault(const ConstraintConfig& config) {
  if (config.least_multiplier <= config.most_multiplier) return {};
  return fmt::format("most_multiplier is {}, must be at least least_multiplier = {}",
                     config.most_multiplier, config.least_multiplier);
}

void describe(FieldVisitor& visit, ConstraintConfig& config) {
  describe(visit, config.scorer);
  visit.value({"threshold", "the mean cost must not exceed it", kFinite}, &config.threshold);
  visit.value({"margin", "the multiplier sees cost - threshold + margin", kNonnegative},
              &config.margin);
  visit.value({"least_multiplier", "equal to the most: a fixed penalty", kNonnegative},
              &config.least_multiplier);
  visit.value({"most_multiplier", "xi_max", kNonnegative}, &config.most_multiplier);
  visit.value({"initial_multiplier", "where it starts", kNonnegative}, &config.initial_multiplier);
  const std::string fault = multiplier_fault(config);
  visit.rule(fault.empty(), "most_multiplier", fault);
}

void describe(FieldVisitor& visit, PolicyConfig& config) {
  visit.value({.name = "model",
               .help = "folder or file of the language model",
               .presence = Presence::kRequired},
              &config.model);
  visit.value({"tokenizer", "not given: in the model's folder"}, &config.tokenizer);
  visit.value({"adapter", "an adapter to go on from; not given: a fresh one"}, &config.adapter);
  visit.value({"lora_rank", "rank of a fresh adapter", kCount}, &config.lora_rank);
  visit.value({"lora_alpha", "its scaling is alpha / rank", kPositive}, &config.lora_alpha);
  visit.value({"lora_dropout",
               "of its input, where ppo.adapter_dropout is on",
               {.low = 0, .high = 1, .low_open = false}},
              &config.lora_dropout);
  visit.value({"target_modules", "modules with an adapter; none: as usual"},
              &config.target_modules);
}

void describe(FieldVisitor& visit, DataConfig& config) {
  visit.value(
      {.name = "prompts",
       .help = "files: JSON lines with \"prompt\" (PKU-SafeRLHF), or a prompt a line; .gz, .xz",
       .presence = Presence::kRequired},
      &config.prompts);
  describe_enum(visit, {"template", "what is put around a prompt"}, config.form, kTemplates);
  visit.value({"held_out",
               "share of the prompts that only evaluation sees; 0: all serve both",
               {.low = 0, .high = 1, .low_open = false}},
              &config.held_out);
  visit.value({"max_prompt_tokens", "longer prompts are left out", kCount},
              &config.max_prompt_tokens);
  visit.value({"split_seed", "of the split", kNonnegative}, &config.split_seed);
}

void describe(FieldVisitor& visit, SamplingConfig& config) {
  visit.value({"prompts", "N: prompts of a step", kCount}, &config.prompts);
  visit.value({"answers", "J: answers to each", kCount}, &config.answers);
  visit.value({"evaluation_prompts", "prompts of the evaluation batch of a step", kCount},
              &config.evaluation_prompts);
  visit.value({"evaluation_answers", "answers to each of those", kCount},
              &config.evaluation_answers);
  visit.value({"max_new_tokens", "tokens of an answer at most", kCount}, &config.max_new_tokens);
  visit.value({"temperature", "logits are divided by it", at_least(1e-3)}, &config.temperature);
  visit.value({"top_k", "sample among the k most probable tokens; 0: all", kNonnegative},
              &config.top_k);
  visit.value({"top_p",
               "sample among the fewest whose probability reaches p",
               {.low = 0, .high = 1, .high_open = false}},
              &config.top_p);
}

void describe(FieldVisitor& visit, NatureConfig& config) {
  visit.value({"inner_steps", "T: ascent steps of a step", kNonnegative}, &config.inner_steps);
  visit.value({"step", "beta: their size", kPositive}, &config.step);
  visit.value({"regularization", "mu: f less (mu/2)|xi - start|^2", kNonnegative},
              &config.regularization);
  visit.value({"ensemble_radius", "how far weights of several rewards may be from uniform, l2",
               kNonnegative},
              &config.ensemble_radius);
}

void describe(FieldVisitor& visit, ShapingConfig& config) {
  visit.value({"divide_by_multipliers", "divide the adjusted score by 1 + sum of multipliers"},
              &config.divide_by_multipliers);
  visit.value({"prompt_baseline", "take the mean of the other answers to the same prompt off"},
              &config.prompt_baseline);
  describe_enum(visit, {"normalisation", "of scores, by their running moments"},
                config.normalisation, kNormalisations);
  visit.value({"clip", "scores beyond are cut; 0: none", kNonnegative}, &config.clip);
  visit.value({"missing_eos_penalty", "taken from answers without an end", kNonnegative},
              &config.missing_eos_penalty);
}

void describe(FieldVisitor& visit, llm::PpoOptions& config) {
  describe_enum(visit, {"critics", "value heads"}, config.critics, kCritics);
  visit.value({"epochs", "passes over the answers of a step", kCount}, &config.epochs);
  visit.value({"minibatch", "answers of one optimizer step", kCount}, &config.minibatch);
  visit.value({"accumulation", "passes a mini-batch is read in, to save memory", kCount},
              &config.accumulation);
  visit.value({"learning_rate", "of AdamW", kPositive}, &config.learning_rate);
  visit.value({"warmup_steps", "steps in which it rises", kNonnegative}, &config.warmup_steps);
  visit.value({"critic_warmup_steps", "first steps that train the value heads only", kNonnegative},
              &config.critic_warmup_steps);
  visit.value({"beta1", "memory of the gradient", {.low = 0, .high = 1, .low_open = false}},
              &config.beta1);
  visit.value({"beta2", "memory of its square", {.low = 0, .high = 1, .low_open = false}},
              &config.beta2);
  visit.value({"epsilon", "added to the root of the second moment", kPositive}, &config.epsilon);
  visit.value({"weight_decay", "of AdamW", kNonnegative}, &config.weight_decay);
  visit.value({"gradient_clip", "largest norm of the gradient; 0: any", kNonnegative},
              &config.gradient_clip);
  visit.value({"ratio_clip", "of the probability ratio", kPositive}, &config.ratio_clip);
  visit.value({"value_clip", "of the change of a value", kPositive}, &config.value_clip);
  visit.value({"value_weight", "of the value loss", kNonnegative}, &config.value_weight);
  visit.value({"discount", "gamma, a token", {.low = 0, .high = 1, .high_open = false}},
              &config.discount);
  visit.value({"trace", "lambda of generalised advantage estimation", kShare}, &config.trace);
  visit.value({"whiten", "advantages, over all tokens of a step"}, &config.whiten);
  describe_enum(visit, {"averaging", "of losses"}, config.averaging, kAveragings);
  describe_enum(visit, {"kl_estimator", "of the KL divergence from the reference at a token"},
                config.kl_estimator, kEstimators);
  describe_enum(visit, {"kl_control", "of the KL coefficient"}, config.kl_control, kControls);
  visit.value({"kl_coefficient", "weight of the KL penalty, at first", kNonnegative},
              &config.kl_coefficient);
  visit.value({"kl_target", "of the adaptive coefficient, nats an answer", kPositive},
              &config.kl_target);
  visit.value({"kl_horizon", ".. and its horizon, answers", kPositive}, &config.kl_horizon);
  visit.value({"early_stop_kl", "no further epoch beyond 1.5 times this; 0: off", kNonnegative},
              &config.early_stop_kl);
  visit.value({"ratio_limit", "mini-batches with a larger mean ratio are skipped", kPositive},
              &config.ratio_limit);
  visit.value(
      {"value_dropout", "of the value heads' input", {.low = 0, .high = 1, .low_open = false}},
      &config.value_dropout);
  visit.value({"adapter_dropout", "use policy.lora_dropout in updates"}, &config.adapter_dropout);
}

void describe(FieldVisitor& visit, StoppingConfig& config) {
  visit.value({"iterations", "outer steps", kNonnegative}, &config.iterations);
  visit.value({"seconds", "wall time at most", kPositive}, &config.seconds);
}

void describe(FieldVisitor& visit, OutputConfig& config) {
  visit.value({"checkpoint_every", "outer steps between checkpoints", kCount},
              &config.checkpoint_every);
  visit.value({"samples", "answers of a step that are written down", kNonnegative},
              &config.samples);
  visit.value({"shown_prompts", "prompts answered before and after", kNonnegative},
              &config.shown_prompts);
  visit.value({"tensorboard", "write event files for TensorBoard too"}, &config.tensorboard);
  visit.value({"negative_kl_alarm", "a KL below this is warned of", kFinite},
              &config.negative_kl_alarm);
}

template <class Table>
void describe_table(FieldVisitor& visit, const Key& key, Table& table) {
  visit.table(key, true, [&](FieldVisitor& inner, std::size_t) { describe(inner, table); });
}

void describe(FieldVisitor& visit, AlignConfig& config) {
  visit.value({"name", "short name of the run"}, &config.name);
  visit.value({"description", "one line about it"}, &config.description);
  visit.value({"seeds", "number of seeds 0, 1, .., or the list of them", kNonnegative},
              &config.seeds);
  describe_table(visit, {.name = "policy", .presence = Presence::kRequired}, config.policy);
  describe_table(visit, {.name = "data", .presence = Presence::kRequired}, config.data);
  describe_list(visit,
                {.name = "rewards",
                 .help = "what is to be large; of several, nature chooses the weights",
                 .presence = Presence::kRequired},
                config.rewards, [](auto& inner, auto& one) { describe(inner, one); });
  describe_list(visit, {"constraints", "costs that must stay below a threshold"},
                config.constraints, [](auto& inner, auto& one) { describe(inner, one); });
  describe_table(visit, {.name = "sampling"}, config.sampling);
  describe_table(visit, {.name = "nature"}, config.nature);
  describe_table(visit, {.name = "shaping"}, config.shaping);
  describe_table(visit, {.name = "ppo"}, config.ppo);
  describe_table(visit, {.name = "stopping"}, config.stopping);
  describe_table(visit, {.name = "output"}, config.output);
}

void check_name(const std::string& name, std::set<std::string>& names, std::string_view what) {
  check(!name.empty() && name.find_first_of("/\n\t\"") == std::string::npos,
        "{} name \"{}\": must not be empty nor hold / \" or white space other than blanks", what,
        name);
  check(names.insert(name).second, "{} name \"{}\" is there twice", what, name);
}

}  // namespace

void check_config(const AlignConfig& config) {
  check(!config.rewards.empty(), "rewards: there is none, must be at least one");
  check(!config.seeds.empty(), "seeds: there is none");
  std::set<std::string> rewards, costs;
  for (const ScorerConfig& reward : config.rewards) check_name(reward.name, rewards, "reward");
  for (const ConstraintConfig& constraint : config.constraints) {
    check_name(constraint.scorer.name, costs, "constraint");
    const std::string fault = multiplier_fault(constraint);
    check(fault.empty(), "constraint \"{}\": {}", constraint.scorer.name, fault);
  }
}

AlignConfig read_config(const ConfigSource& source, const std::vector<std::string>& overrides) {
  AlignConfig config;
  read_fields(source, overrides, [&](FieldVisitor& visit) { describe(visit, config); });
  check_config(config);
  return config;
}

std::string to_toml(const AlignConfig& config) {
  AlignConfig copy = config;  // visitors may write
  return toml_of_fields([&](FieldVisitor& visit) { describe(visit, copy); });
}

std::vector<KeyHelp> config_keys() {
  AlignConfig defaults;
  return keys_of_fields([&](FieldVisitor& visit) { describe(visit, defaults); });
}

}  // namespace rgu::align
