// The problems that come with the library: the files of the folder problems/, embedded.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "rgu/experiment/config.hpp"

namespace rgu {

struct BuiltIn {
  std::string_view name;         // "paper/exploration"
  std::string_view description;  // the `description` of the file
  std::string_view text;         // the file itself
};

std::span<const BuiltIn> built_ins();  // by name

// A built-in problem by its name, else a file. Throws InvalidInput, with the nearest names, if it
// is neither.
ConfigSource find_problem(const std::string& name_or_file);

}  // namespace rgu
