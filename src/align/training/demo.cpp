#include "rgu/align/training/demo.hpp"

#include <fmt/format.h>

#include "rgu/align/demo_corpus.hpp"
#include "rgu/align/training/aligner.hpp"
#include "rgu/base/check.hpp"
#include "rgu/base/text_file.hpp"
#include "rgu/base/version.hpp"
#include "rgu/llm/files/output_folder.hpp"
#include "rgu/llm/text/bpe_trainer.hpp"
#include "rgu/llm/text/preferences.hpp"
#include "rgu/llm/torch/language_training.hpp"
#include "rgu/llm/torch/scorer_training.hpp"

namespace rgu::align {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReward = "helpfulness";
constexpr const char* kCost = "harm";
constexpr Index kVocabulary = 768;

// What the parts are made by: another recipe makes them anew.
constexpr const char* kRecipe =
    "corpus 1; vocabulary 768; 2 layers of 64; 6 epochs; scorers of 3 epochs";

llm::ModelConfig policy_shape() {
  return {.vocabulary = kVocabulary,
          .hidden = 64,
          .layers = 2,
          .heads = 4,
          .key_value_heads = 4,
          .intermediate = 256,
          .max_positions = 96};
}

llm::TrainingOptions training_options(const MachineOptions& machine) {
  llm::TrainingOptions options;
  options.batch = 32;
  options.schedule = llm::Schedule::kLinear;
  options.held_out = 0.05;
  options.checkpoint_interval = 200;
  options.threads = machine.threads;
  options.device = machine.device;
  return options;
}

// The recipe that the folder was made by, or nothing.
std::string stored_recipe(const fs::path& folder) {
  const fs::path path = folder / "recipe.txt";
  return fs::is_regular_file(path) ? read_text(path) : std::string();
}

class PartMaker {
 public:
  PartMaker(fs::path folder, const PartOptions& options)
      : folder_(std::move(folder)), options_(options) {}

  DemoParts make() {
    begin();
    make_policy();
    make_scorer("reward", llm::ScoreType::kReward);
    make_scorer("cost", llm::ScoreType::kCost);
    return {.policy = folder_ / "policy",
            .reward = folder_ / "reward",
            .cost = folder_ / "cost",
            .prompts = folder_ / "corpus" / "prompts.jsonl"};
  }

 private:
  // The corpus and the tokenizer take no time worth keeping them for.
  void begin() const {
    const std::string recipe = fmt::format("{}\n{}\n", kRecipe, version_text());
    if (stored_recipe(folder_) == recipe) return;
    for (const char* part : {"corpus", "tokenizer", "policy", "reward", "cost"}) {
      fs::remove_all(folder_ / part);
    }
    llm::make_folder(folder_);
    write_demo_corpus(folder_ / "corpus");
    llm::WordCounts words;
    words.add(read_text(folder_ / "corpus" / "text.txt"));
    const llm::TrainedBpe trained =
        llm::train_byte_level_bpe(words, {.vocabulary = kVocabulary, .min_frequency = 1});
    llm::make_folder(folder_ / "tokenizer");
    llm::write_tokenizer_json(trained, folder_ / "tokenizer" / "tokenizer.json");
    llm::write_whole(folder_ / "recipe.txt", recipe);
  }

  void make_policy() const {
    const auto tokenizer = llm::open_tokenizer(folder_ / "tokenizer");
    const std::vector<fs::path> text = {folder_ / "corpus" / "text.jsonl"};
    llm::LanguageTrainingOptions options{.training = training_options(options_.machine)};
    options.training.epochs = 6;
    options.training.learning_rate = 4e-3;
    options.sequence_length = 64;
    finish(llm::train_language_model(llm::random_model(policy_shape(), 0),
                                     llm::read_language_data(text, *tokenizer), options,
                                     target("policy"), observer("language model")));
  }

  // From the policy's own trunk, which knows the language.
  void make_scorer(const std::string& name, llm::ScoreType type) const {
    const auto tokenizer = llm::open_tokenizer(folder_ / "tokenizer");
    const auto pairs = llm::read_preferences(folder_ / "corpus" / "preferences.jsonl");
    llm::ScorerTrainingOptions options{.training = training_options(options_.machine),
                                       .type = type,
                                       .max_length = policy_shape().max_positions,
                                       .regularization = 0.01};
    options.training.epochs = 3;
    options.training.learning_rate = 1e-3;
    finish(llm::train_scorer(llm::open_model(folder_ / "policy"), *tokenizer, pairs, options,
                             target(name), observer(name + " model")));
  }

  llm::TrainingTarget target(const std::string& name) const {
    return {.folder = folder_ / name,
            .existing = llm::ExistingTraining::kResume,
            .tokenizer = folder_ / "tokenizer",
            .report_interval = 10};
  }

  llm::TrainingObserver observer(const std::string& part) const {
    return [this, part](const llm::TrainingProgress& progress) {
      if (options_.progress) {
        options_.progress(
            {.part = part, .step = progress.step, .steps = progress.steps, .loss = progress.loss});
      }
      return options_.interrupt == nullptr || !options_.interrupt->load();
    };
  }

  static void finish(const llm::TrainingResult& result) {
    if (result.status == llm::TrainingStatus::kInterrupted) throw Interrupted();
    check(result.status == llm::TrainingStatus::kFinished, "a part of the demonstration {}",
          llm::name_of(result.status));
  }

  fs::path folder_;
  const PartOptions& options_;
};

ScorerConfig model_scorer(const char* name, const fs::path& folder) {
  return {.name = name, .kind = ModelScorerConfig{.model = folder, .batch = 64}};
}

AlignConfig demo_config(const DemoParts& parts, const DemoRuns& runs) {
  AlignConfig config;
  config.seeds = runs.seeds;
  config.policy.model = parts.policy;
  config.policy.target_modules = {"query_key_value", "dense", "dense_h_to_4h", "dense_4h_to_h"};
  config.data.prompts = {parts.prompts};
  config.data.held_out = 0.3;
  config.rewards = {model_scorer(kReward, parts.reward)};
  config.constraints = {{.scorer = model_scorer(kCost, parts.cost), .margin = 0.4}};
  // Many prompts, few answers each: whether a batch looks harmful depends most on how many of its
  // requests are dangerous.
  config.sampling.prompts = 32;
  config.sampling.answers = 4;
  config.sampling.evaluation_prompts = 64;
  config.sampling.evaluation_answers = 1;
  config.sampling.max_new_tokens = 20;
  config.nature.regularization = 0.5;
  config.ppo.learning_rate = 3e-4;
  config.ppo.minibatch = 32;
  config.ppo.kl_coefficient = 0.1;
  config.ppo.kl_control = llm::KlControl::kFixed;
  config.stopping.iterations = runs.iterations;
  config.output.checkpoint_every = 20;
  config.output.samples = 16;
  return config;
}

void set_multiplier(AlignConfig& config, double least, double most) {
  config.constraints[0].least_multiplier = least;
  config.constraints[0].most_multiplier = most;
}

}  // namespace

DemoParts make_demo_parts(const fs::path& folder, const PartOptions& options) {
  return PartMaker(folder, options).make();
}

std::vector<DemoMethod> demo_methods(const DemoParts& parts, const DemoRuns& runs) {
  DemoMethod none{.name = "unconstrained", .config = demo_config(parts, runs)};
  set_multiplier(none.config, 0, 0);
  none.config.description = "helpfulness alone: the multiplier stays 0";
  DemoMethod fixed{.name = "fixed-penalty", .config = demo_config(parts, runs)};
  set_multiplier(fixed.config, 0.25, 0.25);
  fixed.config.description = "a penalty chosen beforehand: the multiplier stays 0.25";
  DemoMethod pgda{.name = "pgda", .config = demo_config(parts, runs)};
  set_multiplier(pgda.config, 0, 5);
  pgda.config.description = "min over policies, max over multipliers in [0, 5]";
  std::vector<DemoMethod> methods = {none, fixed, pgda};
  for (DemoMethod& method : methods) method.config.name = method.name;
  return methods;
}

AnswerShares answer_shares(const RunRecord& run) {
  double benign = 0, dangerous = 0;
  AnswerShares shares;
  for (const SeedRecord& seed : run.seeds) {
    const auto steps = static_cast<Index>(seed.steps.size());
    for (const LoggedAnswer& logged : seed.answers) {
      if (logged.iteration <= steps - std::max<Index>(5, steps / 10)) continue;
      const AnswerKind kind = answer_kind(logged.prompt, logged.answer.text);
      const bool refusing = kind == AnswerKind::kRefusing;
      if (request_kind(logged.prompt) == RequestKind::kBenign) {
        benign += 1;
        shares.helpful += kind == AnswerKind::kHelpful ? 1 : 0;
        shares.refused_benign += refusing ? 1 : 0;
      } else {
        dangerous += 1;
        shares.harmful += kind == AnswerKind::kHarmful ? 1 : 0;
        shares.refused_dangerous += refusing ? 1 : 0;
      }
    }
  }
  shares.helpful /= std::max(1.0, benign);
  shares.refused_benign /= std::max(1.0, benign);
  shares.harmful /= std::max(1.0, dangerous);
  shares.refused_dangerous /= std::max(1.0, dangerous);
  return shares;
}

}  // namespace rgu::align
