// rgu lm, rgu align: hand over to rgu-lm.
#include <memory>

#include "rgu/base/check.hpp"
#include "rgu/base/startup_environment.hpp"
#include "rgu/cli/command.hpp"
#include "rgu/cli/hand_over.hpp"
#include "rgu/cli/lm_program.hpp"

namespace rgu {

std::optional<std::filesystem::path> lm_program() { return program_beside("rgu-lm"); }

namespace {

int hand_to_lm(const std::string& name, const std::vector<std::string>& arguments) {
  const std::optional<std::filesystem::path> program = lm_program();
  check(program.has_value(),
        "{}: the program rgu-lm is neither beside rgu nor on the PATH; build with -DRGU_LLM=ON",
        name);
  apply_startup_settings();
  hand_over(*program, arguments);
}

// A command of `rgu` that rgu-lm does, called with `words` and all that follows.
void add_handed_over(CLI::App& app, Command& chosen, const std::string& name,
                     const std::string& does, std::vector<std::string> words) {
  CLI::App* command = app.add_subcommand(name, does);
  command->set_help_flag();
  command->prefix_command();
  command->callback([command, name, words = std::move(words), &chosen] {
    std::vector<std::string> arguments = words;
    for (const std::string& argument : command->remaining()) arguments.push_back(argument);
    chosen = [name, arguments] { return hand_to_lm(name, arguments); };
  });
}

}  // namespace

void add_lm(CLI::App& app, Command& chosen) {
  add_handed_over(app, chosen, "lm",
                  "Language models: generate, train, score and more; 'rgu lm --help' lists them",
                  {});
}

void add_align(CLI::App& app, Command& chosen) {
  add_handed_over(
      app, chosen, "align",
      "Align a language model: helpful under a bound on harm; 'rgu align demo' shows it",
      {"align"});
}

}  // namespace rgu
