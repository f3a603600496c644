// Programs beside this one that do some of its commands, because what they link takes long to load.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rgu {

// The program of this name beside this one, otherwise on the PATH.
std::optional<std::filesystem::path> program_beside(const std::string& name);

// Becomes that program. Throws std::runtime_error where the system refuses.
[[noreturn]] void hand_over(const std::filesystem::path& program,
                            const std::vector<std::string>& arguments);

}  // namespace rgu
