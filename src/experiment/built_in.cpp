#include "rgu/experiment/built_in.hpp"

#include <vector>

#include "rgu/base/check.hpp"
#include "rgu/base/nearest_name.hpp"
#include "rgu/base/text_file.hpp"

namespace rgu {

ConfigSource find_problem(const std::string& name_or_file) {
  std::vector<std::string> names;
  for (const BuiltIn& problem : built_ins()) {
    if (problem.name == name_or_file) return {name_or_file, std::string(problem.text), {}};
    names.emplace_back(problem.name);
  }
  std::error_code ignored;
  const std::filesystem::path file = name_or_file;
  const bool there = std::filesystem::exists(file, ignored);
  check(there || !name_or_file.ends_with(".toml"), "cannot read {}: no such file", name_or_file);
  const std::string hint = did_you_mean(name_or_file, names);
  check(there, "unknown problem '{}'{} `rgu list` shows all", name_or_file,
        hint.empty() ? ";" : hint);
  return {name_or_file, read_text(file), std::filesystem::absolute(file).parent_path()};
}

}  // namespace rgu
