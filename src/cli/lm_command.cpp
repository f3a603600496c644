// rgu lm: hands over to rgu-lm.
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

int hand_over(const std::vector<std::string>& arguments) {
  const std::optional<fs::path> program = lm_program();
  check(program.has_value(),
        "lm: the program rgu-lm is neither beside rgu nor on the PATH; build with -DRGU_LLM=ON");
  std::vector<std::string> words = {program->string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  apply_startup_settings();
  execv(program->c_str(), pointers.data());
  throw std::runtime_error(
      fmt::format("lm: cannot execute {}: {}", program->string(), std::strerror(errno)));
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

void add_lm(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "lm", "Language models: generate, train, score and more; 'rgu lm --help' lists them");
  command->set_help_flag();
  command->prefix_command();
  command->callback([command, &chosen] {
    chosen = [arguments = command->remaining()] { return hand_over(arguments); };
  });
}

}  // namespace rgu
