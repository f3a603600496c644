#include "rgu/cli/hand_over.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>

namespace rgu {
namespace {

namespace fs = std::filesystem;

bool executable(const fs::path& path) { return access(path.c_str(), X_OK) == 0; }

}  // namespace

std::optional<fs::path> program_beside(const std::string& name) {
  std::error_code ignored;
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  if (const fs::path beside = self.parent_path() / name; executable(beside)) return beside;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (const fs::path there = fs::path(folder) / name; executable(there)) return there;
  }
  return {};
}

void hand_over(const fs::path& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(program.c_str(), pointers.data());
  throw std::runtime_error(
      fmt::format("cannot execute {}: {}", program.string(), std::strerror(errno)));
}

}  // namespace rgu
