// rgu lm init: a model with random weights.
#include <fmt/format.h>

#include <memory>

#include "rgu/base/check.hpp"
#include "rgu/cli/terminal.hpp"
#include "rgu/llm/cli/lm_command.hpp"
#include "rgu/llm/cli/model_shape.hpp"
#include "rgu/llm/files/parameters.hpp"
#include "rgu/llm/text/tokenizer_files.hpp"
#include "rgu/record/json_values.hpp"

namespace rgu::llm {
namespace {

namespace fs = std::filesystem;

struct InitArguments {
  ShapeArguments shape;
  std::string tokenizer;
  std::string scorer;
  std::uint64_t seed = 0;
  std::string type = "f32";
  std::string out;
  bool force = false;
  bool json = false;
};

int init(const InitArguments& arguments) {
  check_free(arguments.out, arguments.force ? Existing::kReplace : Existing::kRefuse);
  check(fs::path(arguments.tokenizer).extension() != ".bin",
        "{}: a llama2.c tokenizer has no place in a model's folder", arguments.tokenizer);
  const std::unique_ptr<Tokenizer> tokenizer =
      arguments.tokenizer.empty() ? nullptr : open_tokenizer(arguments.tokenizer);
  ModelConfig config = arguments.shape.shape(tokenizer.get());
  if (!arguments.scorer.empty()) {
    config.score.emplace();
    config.score->type = arguments.scorer == "cost" ? ScoreType::kCost : ScoreType::kReward;
  }
  check(!tokenizer || tokenizer->size() <= config.vocabulary,
        "{}: the tokenizer has {} tokens, the config a vocabulary of {}", arguments.tokenizer,
        tokenizer ? tokenizer->size() : 0, config.vocabulary);
  const Head head = config.score ? Head::kScore : Head::kLanguage;
  Rng rng(arguments.seed);
  save_model(config, random_weights(config, head, rng), arguments.out,
             {.type = weight_type(arguments.type).value()});
  if (tokenizer) copy_tokenizer_files(arguments.tokenizer, arguments.out);
  const std::int64_t parameters = parameter_count(config, head);
  if (arguments.json) {
    say_json(to_text(Json{{"folder", fs::absolute(arguments.out).string()},
                          {"parameters", parameters},
                          {"vocabulary", config.vocabulary},
                          {"type", arguments.type}}));
  } else {
    say("{} random parameters, vocabulary {}\nmodel: {}\n", parameters, config.vocabulary,
        fs::proximate(arguments.out).string());
  }
  return kDone;
}

}  // namespace

void add_init(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("init", "Write a model with random weights, for trials");
  auto arguments = std::make_shared<InitArguments>();
  arguments->shape.add_to(*command);
  command
      ->add_option("--tokenizer", arguments->tokenizer,
                   "Copied into the model; gives the vocabulary of --size")
      ->type_name("PATH");
  command->add_option("--scorer", arguments->scorer, "With a score head instead of the output head")
      ->check(CLI::IsMember({"reward", "cost"}));
  command->add_option("--seed", arguments->seed, "Of the weights")->capture_default_str();
  add_type_option(*command, arguments->type, "Of the weights in the file (default: f32)");
  command->add_option("--out,-o", arguments->out, "Folder to write")->required()->type_name("DIR");
  command->add_flag("--force", arguments->force, "Write into a folder that is not empty");
  command->add_flag("--json", arguments->json, "Print what was done as JSON");
  command->footer(
      "Examples:\n"
      "  rgu lm init --size 14m --tokenizer tokenizer --out start\n"
      "  rgu lm init --config config.json --seed 7 --type bf16 --out start");
  command->callback([arguments, &chosen] { chosen = [arguments] { return init(*arguments); }; });
}

}  // namespace rgu::llm
