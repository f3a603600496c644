// An alignment run as a file: what its TOML says, as typed plain data with the defaults filled in.
// The defaults are those of the paper's table [RGU, Tab. ppo_hyperparameter].
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "rgu/base/types.hpp"
#include "rgu/llm/torch/ppo_options.hpp"

namespace rgu::align {

// A score model: a folder with a score head, or a language model whose adapter brings one.
struct ModelScorerConfig {
  enum class Loading {
    kAuto,  // kept in memory where all models fit into what is free, otherwise loaded each time
    kKeep,
    kEachTime,
  };
  enum class Compute { kF32, kBf16, kFile };  // kFile: as the weights are in the file

  std::filesystem::path model = {};
  std::optional<std::filesystem::path> adapter = {};
  std::optional<std::filesystem::path> tokenizer = {};  // none: beside the adapter, or the model
  Index batch = 16;                                     // answers read at once
  Loading loading = Loading::kAuto;
  Compute compute = Compute::kF32;
};

// Weights of words and phrases: see lexicon_scorer.hpp.
struct LexiconScorerConfig {
  std::filesystem::path file = {};
};

// A linear classifier of words: see linear_scorer.hpp.
struct LinearScorerConfig {
  std::filesystem::path file = {};
};

// A program that reads answers and writes scores, a JSON line each: see command_scorer.hpp.
struct CommandScorerConfig {
  std::vector<std::string> command = {};  // program and arguments, no shell
  double timeout_seconds = 600;           // for the scores of one batch
};

// score = scale * (what the scorer says) + shift.
struct ScorerConfig {
  std::string name = {};  // in metrics and reports: "helpfulness"
  std::variant<ModelScorerConfig, LexiconScorerConfig, LinearScorerConfig, CommandScorerConfig>
      kind = {};
  double scale = 1;
  double shift = 0;
};

// mean cost <= threshold, with a multiplier in [least, most]. Descent-ascent ends up around what it
// is trained against, now above, now below: a margin keeps it below the threshold itself.
struct ConstraintConfig {
  ScorerConfig scorer = {};
  double threshold = 0;           // d
  double margin = 0;              // trained against threshold - margin: batches fluctuate
  double least_multiplier = 0;    // equal to the most: a fixed penalty
  double most_multiplier = 5;     // xi_max
  double initial_multiplier = 0;  // projected onto the interval
};

struct PolicyConfig {
  std::filesystem::path model = {};
  std::optional<std::filesystem::path> tokenizer = {};  // none: in the model's folder
  std::optional<std::filesystem::path> adapter = {};    // to go on training; none: a fresh one
  Index lora_rank = 16;
  double lora_alpha = 32;
  double lora_dropout = 0.05;
  std::vector<std::string> target_modules = {};  // none: the usual ones of the architecture
};

struct DataConfig {
  std::vector<std::filesystem::path> prompts = {};  // PKU-SafeRLHF JSON lines, or a prompt a line
  enum class Template { kConversation, kNone } form = Template::kConversation;
  double held_out = 0.1;          // share of the prompts that only evaluation sees
  Index max_prompt_tokens = 256;  // longer prompts are left out, and counted
  Index split_seed = 0;           // of the split, the same for all seeds of a run
};

struct SamplingConfig {
  Index prompts = 16;  // N
  Index answers = 8;   // J
  Index evaluation_prompts = 16;
  Index evaluation_answers = 8;
  Index max_new_tokens = 64;
  double temperature = 1;
  Index top_k = 0;
  double top_p = 1;
};

// Nature: multipliers in a box and, with several rewards, weights in the simplex near uniform.
struct NatureConfig {
  Index inner_steps = 10;        // T
  double step = 0.5;             // beta
  double regularization = 0;     // mu: -(mu / 2) |xi - start|^2 makes f strongly concave
  double ensemble_radius = 0.5;  // of the l2 ball around uniform weights of several rewards
};

// What becomes of a score before PPO sees it.
struct ShapingConfig {
  bool divide_by_multipliers = true;  // by 1 + sum of multipliers (one value head)
  bool prompt_baseline = false;       // less the mean of the other answers to the same prompt
  enum class Normalisation {
    kNone,
    kScale,        // by the running standard deviation
    kStandardise,  // less the running mean too
  } normalisation = Normalisation::kNone;
  double clip = 50;                // scores beyond are cut; 0: none
  double missing_eos_penalty = 0;  // taken from answers that did not end by themselves
};

struct StoppingConfig {
  Index iterations = 100;  // outer steps K
  std::optional<double> seconds = {};
};

struct OutputConfig {
  Index checkpoint_every = 10;  // outer steps; also at the end and when interrupted
  Index samples = 4;            // answers written to answers.jsonl, a step
  Index shown_prompts = 6;      // prompts that are answered before and after, for the report
  bool tensorboard = false;
  double negative_kl_alarm = -1;  // a sequence KL below this is warned of
};

struct AlignConfig {
  std::string name = {};
  std::string description = {};
  std::vector<std::uint64_t> seeds = {0};
  PolicyConfig policy = {};
  DataConfig data = {};
  std::vector<ScorerConfig> rewards = {};          // one; or several, of which nature weighs
  std::vector<ConstraintConfig> constraints = {};  // any number
  SamplingConfig sampling = {};
  NatureConfig nature = {};
  ShapingConfig shaping = {};
  llm::PpoOptions ppo = {};
  StoppingConfig stopping = {};
  OutputConfig output = {};
};

}  // namespace rgu::align
