// rgu lm, rgu align: hand over to rgu-lm.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>

#include "rgu/base/check.hpp"
#include "rgu/base/startup_environment.hpp"
#include "rgu/cli/command.hpp"
#include "rgu/cli/lm_program.hpp"

namespace rgu {
namespace {

namespace fs = std::filesystem;

bool executable(const fs::path& path) { return access(path.c_str(), X_OK) == 0; }

int hand_over(const std::string& name, const std::vector<std::string>& arguments) {
  const std::optional<fs::path> program = lm_program();
  check(program.has_value(),
        "{}: the program rgu-lm is neither beside rgu nor on the PATH; build with -DRGU_LLM=ON",
        name);
  std::vector<std::string> words = {program->string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  apply_startup_settings();
  execv(program->c_str(), pointers.data());
  throw std::runtime_error(
      fmt::format("{}: cannot execute {}: {}", name, program->string(), std::strerror(errno)));
}

}  // namespace

std::optional<fs::path> lm_program() {
  std::error_code ignored;
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  if (const fs::path beside = self.parent_path() / "rgu-lm"; executable(beside)) return beside;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (const fs::path there = fs::path(folder) / "rgu-lm"; executable(there)) return there;
  }
  return {};
}

namespace {

// A command of `rgu` that rgu-lm does, called with `words` and all that follows.
void add_handed_over(CLI::App& app, Command& chosen, const std::string& name,
                     const std::string& does, std::vector<std::string> words) {
  CLI::App* command = app.add_subcommand(name, does);
  command->set_help_flag();
  command->prefix_command();
  command->callback([command, name, words = std::move(words), &chosen] {
    std::vector<std::string> arguments = words;
    for (const std::string& argument : command->remaining()) arguments.push_back(argument);
    chosen = [name, arguments] { return hand_over(name, arguments); };
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
