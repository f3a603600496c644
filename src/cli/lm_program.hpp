// The program behind `rgu lm`. It is one of its own because LibTorch takes half a second and 165 MB
// to load, which no other command should pay.
#pragma once

#include <filesystem>
#include <optional>

namespace rgu {

// rgu-lm beside this program, otherwise on the PATH.
std::optional<std::filesystem::path> lm_program();

}  // namespace rgu
