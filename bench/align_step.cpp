// One outer step of alignment: 16 prompts x 8 answers to learn from and as many to evaluate, scored
// by two models of random weights, then PPO with a low-rank adapter. The same as
// `bench/python/ppo_plain.py`. Prints a JSON line for each step.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "rgu/align/training/aligner.hpp"
#include "rgu/align/training/make_scorer.hpp"
#include "rgu/base/rng.hpp"
#include "rgu/base/startup_environment.hpp"
#include "rgu/llm/text/bpe_trainer.hpp"
#include "rgu/llm/text/byte_level.hpp"
#include "rgu/llm/torch/language_training.hpp"
#include "rgu/llm/torch/score_head.hpp"

namespace {

namespace fs = std::filesystem;
using namespace rgu;

constexpr Index kPrompts = 16;  // to learn from, and as many to evaluate
constexpr Index kAnswers = 8;   // to each

struct Arguments {
  std::string size = "70m";
  int steps = 3;
  int threads = 2;
  Index answer_tokens = 64;
  Index prompt_tokens = 32;
  Index minibatch = 16;
};

Arguments parsed(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--size") arguments.size = argv[i + 1];
    if (name == "--steps") arguments.steps = std::atoi(argv[i + 1]);
    if (name == "--threads") arguments.threads = std::atoi(argv[i + 1]);
    if (name == "--answers-tokens") arguments.answer_tokens = std::atoi(argv[i + 1]);
    if (name == "--prompt-tokens") arguments.prompt_tokens = std::atoi(argv[i + 1]);
    if (name == "--minibatch") arguments.minibatch = std::atoi(argv[i + 1]);
  }
  return arguments;
}

// "demo" is the shape of the demonstration's models: what is left when all products are small.
llm::ModelConfig shape(const std::string& size) {
  if (size != "demo") return llm::pythia(size);
  return {.vocabulary = 768,
          .hidden = 64,
          .layers = 2,
          .heads = 4,
          .key_value_heads = 4,
          .intermediate = 256,
          .max_positions = 96};
}

// Any id of the vocabulary can be sampled, so that every one must be a piece: bytes, then pairs.
llm::TrainedBpe full_tokenizer(Index vocabulary) {
  llm::TrainedBpe made{.pieces = {"<|endoftext|>"}, .merges = {}, .special_tokens = 1};
  for (int byte = 0; byte < 256; ++byte) {
    made.pieces.emplace_back(llm::character_of_byte(static_cast<std::uint8_t>(byte)));
  }
  for (llm::TokenId pair = 0; static_cast<Index>(made.pieces.size()) < vocabulary; ++pair) {
    const llm::TokenId left = 1 + pair / 256, right = 1 + pair % 256;
    made.merges.emplace_back(left, right);
    made.pieces.push_back(made.pieces[static_cast<std::size_t>(left)] +
                          made.pieces[static_cast<std::size_t>(right)]);
  }
  return made;
}

// Models and tokenizers in a folder that goes with it.
class Files {
 public:
  explicit Files(const Arguments& arguments)
      : folder_(fs::temp_directory_path() / fmt::format("rgu_align_step_{}", ::getpid())) {
    const llm::ModelConfig policy = shape(arguments.size);
    const llm::ModelConfig scorer = shape(arguments.size == "demo" ? "demo" : "14m");
    put("policy", llm::random_model(policy, 1));
    Rng rng(2);
    for (const char* name : {"reward", "cost"}) {
      put(name, llm::with_score_head(llm::random_model(scorer, 3), llm::ScoreConfig{}, rng));
    }
  }
  ~Files() { fs::remove_all(folder_); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  fs::path operator[](const char* name) const { return folder_ / name; }

 private:
  void put(const char* name, const llm::ModelFiles& model) const {
    fs::create_directories(folder_ / name);
    llm::save_model(model.config, model.weights, folder_ / name);
    llm::write_tokenizer_json(full_tokenizer(model.config.vocabulary),
                              folder_ / name / "tokenizer.json");
  }

  fs::path folder_;
};

align::ScorerConfig scorer(const char* name, const fs::path& folder) {
  return {.name = name,
          .kind = align::ModelScorerConfig{.model = folder,
                                           .loading = align::ModelScorerConfig::Loading::kKeep}};
}

align::AlignConfig config_of(const Arguments& arguments, const Files& files) {
  align::AlignConfig config;
  config.policy.model = files["policy"];
  config.rewards = {scorer("reward", files["reward"])};
  config.constraints = {{.scorer = scorer("cost", files["cost"])}};
  config.sampling.prompts = config.sampling.evaluation_prompts = kPrompts;
  config.sampling.answers = config.sampling.evaluation_answers = kAnswers;
  config.sampling.max_new_tokens = arguments.answer_tokens;
  config.ppo.minibatch = arguments.minibatch;
  config.ppo.early_stop_kl = 0;  // always all epochs
  config.ppo.ratio_limit = 1e9;  // .. and all mini-batches
  return config;
}

std::vector<align::TokenisedPrompt> random_prompts(const Arguments& arguments, Index vocabulary,
                                                   const llm::Tokenizer& tokenizer, Rng& rng) {
  std::vector<align::TokenisedPrompt> prompts(kPrompts);
  for (align::TokenisedPrompt& prompt : prompts) {
    for (Index t = 0; t < arguments.prompt_tokens; ++t) {
      prompt.tokens.push_back(
          static_cast<llm::TokenId>(1 + rng.below(static_cast<std::uint64_t>(vocabulary - 1))));
    }
    prompt.text = tokenizer.decode(prompt.tokens, llm::Specials::kSkip);
    prompt.input = prompt.text;
  }
  return prompts;
}

align::Setup setup_of(const Arguments& arguments, const Files& files) {
  align::Setup setup{.config = config_of(arguments, files),
                     .machine = {.threads = arguments.threads},
                     .model = llm::open_model(files["policy"]),
                     .tokenizer = llm::open_tokenizer(files["policy"]),
                     .tokenizer_path = files["policy"]};
  setup.end = -1;  // no token: answers go on to their greatest length
  Rng rng(4);
  const Index vocabulary = setup.model.config.vocabulary;
  setup.prompts.training = random_prompts(arguments, vocabulary, *setup.tokenizer, rng);
  setup.prompts.evaluation = random_prompts(arguments, vocabulary, *setup.tokenizer, rng);
  align::RunScorers scorers =
      align::make_scorers(setup.config, {.policy_tokenizer = setup.tokenizer.get(),
                                         .policy_tokenizer_path = setup.tokenizer_path,
                                         .threads = arguments.threads});
  setup.rewards = std::move(scorers.rewards);
  setup.costs = std::move(scorers.costs);
  return setup;
}

double peak_megabytes() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void report(const Arguments& arguments, Index step, Index answers, const align::Aligner& aligner) {
  const align::StepTiming seconds = aligner.timing();
  const align::StepNumbers numbers = aligner.numbers();
  const Index minibatches = (kPrompts * kAnswers + arguments.minibatch - 1) / arguments.minibatch;
  const auto epochs = static_cast<Index>(numbers.at("epochs"));
  fmt::print(
      "{{\"program\": \"rgu\", \"size\": \"{}\", \"threads\": {}, \"step\": {}, "
      "\"sampling\": {:.4f}, \"scoring\": {:.4f}, \"update\": {:.4f}, \"total\": {:.4f}, "
      "\"sampled_answers\": {}, \"learned_tokens\": {}, \"optimizer_steps\": {}, "
      "\"loss\": {:.6g}, \"kl\": {:.6g}, \"peak_mb\": {:.0f}}}\n",
      arguments.size, arguments.threads, step, seconds.sampling, seconds.scoring, seconds.update,
      seconds.sampling + seconds.scoring + seconds.update, answers, numbers.at("answer_tokens"),
      epochs * minibatches - static_cast<Index>(numbers.at("skipped")), numbers.at("total_loss"),
      numbers.at("kl"), peak_megabytes());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  restart_with_settings(argv);
  const Arguments arguments = parsed(argc, argv);
  const Files files(arguments);
  const align::Setup setup = setup_of(arguments, files);
  align::Aligner aligner(setup, 0);
  for (Index step = 0; step < arguments.steps; ++step) {
    const Index answers = aligner.draw(step);
    aligner.descend(Vector::Ones(1));
    report(arguments, step, answers, aligner);
  }
}
