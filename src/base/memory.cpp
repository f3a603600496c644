#include "rgu/base/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace rgu {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

// The first number of a text; none where it begins with another word ("max").
std::optional<std::uint64_t> number_in(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return std::nullopt;
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data() + begin, text.data() + text.size(), number);
  if (parsed.ec != std::errc()) return std::nullopt;
  return number;
}

// What follows `key` on the first line that begins with it.
std::optional<std::uint64_t> number_after(const fs::path& file, std::string_view key) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(key)) return number_in(std::string_view(line).substr(key.size()));
  }
  return std::nullopt;
}

std::uint64_t left_of(std::uint64_t limit, std::uint64_t used) {
  return limit > used ? limit - used : 0;
}

std::uint64_t left_on_machine() {
  const auto available = number_after("/proc/meminfo", "MemAvailable:");
  if (!available) return kUnlimited;
  return (*available + number_after("/proc/meminfo", "SwapFree:").value_or(0)) * 1024;
}

std::uint64_t left_of_address_space() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  const std::uint64_t pages = number_after("/proc/self/statm", "").value_or(0);
  return left_of(limit.rlim_cur, pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
}

// Pages of files count as used there, but are given up before memory runs out.
std::uint64_t left_of_group(const fs::path& group) {
  const auto limit = number_after(group / "memory.max", "");
  if (!limit) return kUnlimited;
  return left_of(*limit, number_after(group / "memory.stat", "anon ").value_or(0));
}

// Of the control group of this process and of all above it (version 2).
std::uint64_t left_of_groups() {
  const fs::path root = "/sys/fs/cgroup";
  std::uint64_t left = left_of_group(root);
  std::ifstream stream("/proc/self/cgroup");
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with("0::/")) continue;
    fs::path group = root;
    for (const fs::path& part : fs::path(line.substr(4))) {
      group /= part;
      left = std::min(left, left_of_group(group));
    }
  }
  return left;
}

}  // namespace

std::uint64_t available_memory() {
  return std::min({left_on_machine(), left_of_address_space(), left_of_groups()});
}

}  // namespace rgu
