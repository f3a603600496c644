// In place of the commands that need LibTorch, where it was left out.
#include "rgu/align/cli/align_command.hpp"
#include "rgu/base/check.hpp"
#include "rgu/llm/cli/lm_command.hpp"

namespace rgu {
namespace {

constexpr const char* kHowToHaveIt =
    "Example:\n  cmake -B build -DRGU_TORCH=ON    and build again to have it";

}  // namespace
}  // namespace rgu

namespace rgu::llm {
namespace {

void add_absent(CLI::App& app, Command& chosen, const std::string& name, const std::string& does) {
  CLI::App* command = app.add_subcommand(name, does + " (not in this build: needs LibTorch)");
  command->allow_extras();
  command->footer(kHowToHaveIt);
  command->callback([&chosen, name] {
    chosen = [name]() -> int {
      throw InvalidInput(name + ": this build has no LibTorch; build with -DRGU_TORCH=ON");
    };
  });
}

}  // namespace

void add_perplexity(CLI::App& app, Command& chosen) {
  add_absent(app, chosen, "perplexity", "How well a model predicts text");
}
void add_score(CLI::App& app, Command& chosen) {
  add_absent(app, chosen, "score", "What a score model thinks of answers");
}
void add_train(CLI::App& app, Command& chosen) {
  add_absent(app, chosen, "train", "Train a language model or an adapter on text");
}
void add_train_scorer(CLI::App& app, Command& chosen) {
  add_absent(app, chosen, "train-scorer", "Train a reward or cost model on preferences");
}

}  // namespace rgu::llm

namespace rgu::align {

void set_up_align(CLI::App& app, Command& chosen) {
  app.description("Align a language model by PGDA with PPO (not in this build: needs LibTorch)");
  app.allow_extras();
  app.footer(kHowToHaveIt);
  app.callback([&chosen] {
    chosen = []() -> int {
      throw InvalidInput("this build has no LibTorch; build with -DRGU_TORCH=ON");
    };
  });
}

}  // namespace rgu::align
